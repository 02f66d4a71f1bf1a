// The join  q(A,C) :- p(A,B) in [n], p(B,C) in [n].  by hand: what the machine can do, for one rule known in advance.
//
// Nothing is ever deleted. A relation is a ring of records with rising numbers, and `low` is the oldest that may still
// hold. An index is a table of chain heads, newest record first: a walk ends at the first number below `low`, since
// all that follow are older. That is why heads need no cleaning either.

#include <cstdint>
#include <vector>

namespace {

using Int = int64_t;
using Word = uint64_t;

constexpr Int NONE = -1;         // the end of a chain
constexpr Int SUPERSEDED = -1;   // the end of a record that another one, with a later end, has replaced

// Multiplicative hashing: the high bits are the well mixed ones, so the slot is taken from the top.
inline Word slot(Int key, int shift) { return (Word(key) * 0x9E3779B97F4A7C15u) >> shift; }

inline Word slot(Int first, Int second, int shift) {
    Word mixed = Word(first) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
    return ((mixed + Word(second)) * 0xBF58476D1CE4E5B9u) >> shift;
}

enum Index { BY_PAIR, BY_FIRST, BY_SECOND };

// A pair that holds from `since` to `until`, and the next older record in each of its chains.
template <int INDICES>
struct Record {
    Int first, second, since, until;
    Int next[INDICES];
};

template <int INDICES>
struct Relation {
    Int window;
    Int mask;              // of a record's number: its place in the ring
    Int low = 0, high = 0; // the records that may hold, and the number of the next one
    int pair_shift, member_shift;
    std::vector<Record<INDICES>> ring;
    std::vector<Int> heads[INDICES];

    Relation(Int window, int bits)
        : window(window),
          mask((Int(1) << bits) - 1),
          pair_shift(64 - bits - 1),
          member_shift(64 - bits),
          ring(mask + 1) {
        for (int index = 0; index < INDICES; index++)
            heads[index].assign(Word(1) << (index == BY_PAIR ? bits + 1 : bits), NONE);
    }

    Record<INDICES> &at(Int number) { return ring[number & mask]; }

    // No record made at c holds later than c + window.
    void expire(Int now) {
        while (low < high && at(low).since + window < now) low++;
    }

    bool full(Int more) const { return high - low + more > mask + 1; }

    // Let a pair hold until a time; returns whether that is new. A later end supersedes the pair's record, or changes it
    // if it was made at this very time point.
    bool upsert(Int first, Int second, Int now, Int until) {
        Int &pair_head = heads[BY_PAIR][slot(first, second, pair_shift)];
        for (Int number = pair_head; number >= low;) {
            auto &record = at(number);
            if (record.first == first && record.second == second) {
                if (record.until >= until) return false;
                if (record.since == now) {
                    record.until = until;
                    return true;
                }
                record.until = SUPERSEDED;
                break;
            }
            number = record.next[BY_PAIR];
        }
        auto &record = at(high);
        record.first = first;
        record.second = second;
        record.since = now;
        record.until = until;
        record.next[BY_PAIR] = pair_head;
        pair_head = high;
        if constexpr (INDICES > 1) {
            link(record, BY_FIRST, first);
            link(record, BY_SECOND, second);
        }
        high++;
        return true;
    }

    void link(Record<INDICES> &record, Index index, Int member) {
        Int &head = heads[index][slot(member, member_shift)];
        record.next[index] = head;
        head = high;
    }
};

struct Join {
    Int window;
    Relation<3> p;
    Relation<1> q;
};

}  // namespace

extern "C" {

void *join_new(Int window, int p_bits, int q_bits) {
    return new Join{window, Relation<3>(window, p_bits), Relation<1>(window, q_bits)};
}

void join_free(void *join) { delete static_cast<Join *>(join); }

// One time point: the pairs of p that are new at it, and into `out` the rows (A, C, until) of q that are new, or newly
// guaranteed for longer. Returns their number; or -1 if a ring has no room.
Int join_tick(void *join, Int now, const Int *firsts, const Int *seconds, Int count, Int *out) {
    auto &[window, p, q] = *static_cast<Join *>(join);
    p.expire(now);
    q.expire(now);
    if (p.full(count)) return -1;
    const Int until = now + window, q_before = q.high;
    for (Int i = 0; i < count; i++) {
        const Int a = firsts[i], b = seconds[i];
        if (!p.upsert(a, b, now, until)) continue;
        // q(a,C) :- p(a,b), p(b,C).
        for (Int number = p.heads[BY_FIRST][slot(b, p.member_shift)]; number >= p.low;) {
            auto &other = p.at(number);
            if (other.first == b && other.until >= now) {
                if (q.full(1)) return -1;
                q.upsert(a, other.second, now, other.until);
            }
            number = other.next[BY_FIRST];
        }
        // q(A,b) :- p(A,a), p(a,b).
        for (Int number = p.heads[BY_SECOND][slot(a, p.member_shift)]; number >= p.low;) {
            auto &other = p.at(number);
            if (other.second == a && other.until >= now) {
                if (q.full(1)) return -1;
                q.upsert(other.first, b, now, other.until);
            }
            number = other.next[BY_SECOND];
        }
    }
    Int *end = out;
    for (Int number = q_before; number < q.high; number++) {
        const auto &record = q.at(number);
        if (record.until == SUPERSEDED) continue;
        *end++ = record.first;
        *end++ = record.second;
        *end++ = record.until;
    }
    return (end - out) / 3;
}

}  // extern "C"
