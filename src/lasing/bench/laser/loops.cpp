// The rules of the Laser paper's experiments by hand, each known in advance: what the machine can do.
//
// At a time point every loop returns what is added and removed, or on demand all that holds. Nothing is assumed of the
// stream: facts may come twice at a time point, and again at later ones. Time starts at 0.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using Int = int64_t;
using Word = uint64_t;

struct Fact {
    Int predicate, first, second;
};

struct Row {
    Int head, sign, first, second;
};

struct Full {};  // thrown when a ring has no room

struct Loop {
    virtual ~Loop() = default;
    // The facts of a time point in; behind what is added and removed.
    virtual Row *tick(Int now, const Fact *facts, Int count, Row *out) = 0;
    // Behind all that holds now.
    virtual Row *answer(Int now, Row *out) = 0;
};

int bits_for(Int count) {
    int bits = 6;
    while ((Int(1) << bits) < count) bits++;
    return bits;
}

// Multiplicative hashing: the high bits are the well mixed ones, so the slot is taken from the top.
inline Word mix(Word sum, Int key) {
    Word mixed = (sum + Word(key)) * 0x9E3779B97F4A7C15u;
    return mixed ^ (mixed >> 29);
}

inline Word slot(Int key, int shift) { return (Word(key) * 0x9E3779B97F4A7C15u) >> shift; }
inline Word slot(Int one, Int two, int shift) { return slot(Int(mix(mix(0, one), two)), shift); }
inline Word slot(Int one, Int two, Int three, int shift) {
    return slot(Int(mix(mix(mix(0, one), two), three)), shift);
}

// -- pairs that hold until a time: a ring of records with rising numbers, from which nothing is ever deleted -------
//
// `low` is the oldest record that may still matter. An index is a table of chain heads, newest record first: a walk
// ends at the first number below `low`, since all that follow are older.

constexpr Int NONE = -1;
constexpr Int NEVER = -2;       // before the time point before the first
constexpr Int SUPERSEDED = -2;  // the end of a record that another one, with a later end, has replaced

enum Index { BY_PAIR, BY_FIRST, BY_SECOND };
enum Outcome { SAME, LONGER, NEW };

template <int INDICES>
struct Record {
    Int rule, first, second, since, until;
    Int next[INDICES];
};

template <int INDICES>
struct Relation {
    Int window, mask, low = 0, high = 0;
    int shift;
    std::vector<Record<INDICES>> ring;
    std::vector<Int> heads[INDICES];

    Relation(Int window, Int live) : window(window) {
        const int bits = bits_for(live);
        mask = (Int(1) << bits) - 1;
        shift = 64 - bits - 1;
        ring.resize(mask + 1);
        for (auto &table : heads) table.assign(Word(1) << (bits + 1), NONE);
    }

    Record<INDICES> &at(Int number) { return ring[number & mask]; }

    // What ended at the previous time point is still visible: it may go on.
    void forget(Int now) {
        while (low < high && at(low).since + window < now - 1) low++;
    }

    // Let a pair hold until a time. A later end supersedes the pair's record, or changes one of this time point.
    Outcome upsert(Int rule, Int first, Int second, Int now, Int until) {
        Int &head = heads[BY_PAIR][slot(rule, first, second, shift)];
        Outcome outcome = NEW;
        for (Int number = head; number >= low;) {
            auto &record = at(number);
            if (record.rule == rule && record.first == first && record.second == second) {
                if (record.until >= until) return SAME;
                if (record.since == now) {
                    record.until = until;
                    changed = number;
                    return LONGER;
                }
                if (record.until >= now - 1) {
                    record.until = SUPERSEDED;
                    outcome = LONGER;
                }
                break;
            }
            number = record.next[BY_PAIR];
        }
        if (high - low > mask) throw Full();
        auto &record = at(high);
        record.rule = rule;
        record.first = first;
        record.second = second;
        record.since = now;
        record.until = until;
        record.next[BY_PAIR] = head;
        head = high;
        if constexpr (INDICES > 1) {
            link(record, BY_FIRST, rule, first);
            link(record, BY_SECOND, rule, second);
        }
        changed = high++;
        return outcome;
    }

    Int changed = NONE;  // the record of the last upsert

    void link(Record<INDICES> &record, Index index, Int rule, Int member) {
        Int &head = heads[index][slot(rule, member, shift)];
        record.next[index] = head;
        head = high;
    }

    Row *standing(Int now, Row *out) {
        for (Int number = low; number < high; number++) {
            const auto &record = at(number);
            if (record.until >= now) *out++ = {record.rule, 1, record.first, record.second};
        }
        return out;
    }
};

// q(A,B) :- p(A,B) in [window].
struct Diamond : Loop {
    Relation<1> q;

    Diamond(Int window, Int live) : q(window, live) {}

    Row *tick(Int now, const Fact *facts, Int count, Row *out) override {
        for (const Fact *fact = facts; fact < facts + count; fact++)
            if (q.upsert(0, fact->first, fact->second, now, now + q.window) == NEW)
                *out++ = {0, 1, fact->first, fact->second};
        for (; q.low < q.high && q.at(q.low).since + q.window < now; q.low++) {
            const auto &record = q.at(q.low);
            if (record.until != SUPERSEDED) *out++ = {0, -1, record.first, record.second};
        }
        return out;
    }

    Row *answer(Int now, Row *out) override { return q.standing(now, out); }
};

// q_i(A,C) :- p_i(A,B) in [window], p_i(B,C) in [window].  for each predicate p_i that a fact may have.
struct Join : Loop {
    Relation<3> p;
    Relation<1> q;
    std::vector<std::vector<Int>> ends;  // records of q by their ends

    Join(Int window, Int live, Int results) : p(window, live), q(window, results), ends(window + 2) {}

    std::vector<Int> &ending(Int time) { return ends[(time + Int(ends.size())) % Int(ends.size())]; }

    Row *derive(Int rule, Int first, Int second, Int now, Int until, Row *out) {
        const Outcome outcome = q.upsert(rule, first, second, now, until);
        if (outcome != SAME) ending(until).push_back(q.changed);
        if (outcome == NEW) *out++ = {rule, 1, first, second};
        return out;
    }

    Row *tick(Int now, const Fact *facts, Int count, Row *out) override {
        p.forget(now);
        q.forget(now);
        for (const Fact *fact = facts; fact < facts + count; fact++) {
            const auto [rule, a, b] = *fact;
            if (p.upsert(rule, a, b, now, now + p.window) == SAME) continue;
            // q(a,C) :- p(a,b), p(b,C).
            for (Int number = p.heads[BY_FIRST][slot(rule, b, p.shift)]; number >= p.low;) {
                const auto &other = p.at(number);
                if (other.first == b && other.until >= now && other.rule == rule)
                    out = derive(rule, a, other.second, now, other.until, out);
                number = other.next[BY_FIRST];
            }
            // q(A,b) :- p(A,a), p(a,b).
            for (Int number = p.heads[BY_SECOND][slot(rule, a, p.shift)]; number >= p.low;) {
                const auto &other = p.at(number);
                if (other.second == a && other.until >= now && other.rule == rule)
                    out = derive(rule, other.first, b, now, other.until, out);
                number = other.next[BY_SECOND];
            }
        }
        for (Int number : ending(now - 1)) {
            const auto &record = q.at(number);
            if (record.until == now - 1) *out++ = {record.rule, -1, record.first, record.second};
        }
        ending(now - 1).clear();
        return out;
    }

    Row *answer(Int now, Row *out) override { return q.standing(now, out); }
};

// -- the keys of one time point: a table that need not be cleared, since a slot counts for its time point only -----

struct Keys {
    struct Slot {
        Int key = 0, time = NEVER, since = 0;
        bool reported = false;
    };

    int shift;
    Word mask;
    std::vector<Slot> slots;
    std::vector<Word> order;  // the slots in use, as they came

    explicit Keys(Int most) {
        const int bits = bits_for(2 * most);
        shift = 64 - bits;
        mask = (Word(1) << bits) - 1;
        slots.resize(mask + 1);
    }

    // The slot of a key, or where it would be.
    Slot &find(Int key, Int time) {
        Word at = slot(key, shift);
        while (slots[at].time == time && slots[at].key != key) at = (at + 1) & mask;
        return slots[at];
    }

    // The slot of a key that was not there yet, or null.
    Slot *add(Int key, Int time) {
        Slot &found = find(key, time);
        if (found.time == time) return nullptr;
        if (Word(order.size()) * 2 > mask) throw Full();
        found = {key, time};
        order.push_back(Word(&found - slots.data()));
        return &found;
    }
};

// q(X) :- p(X) always in [window].  Each current key has the start of its run; an earlier key that is absent has gone.
struct Box : Loop {
    Int window;
    Keys one, other;
    Keys *current = &one, *previous = &other;

    Box(Int window, Int most) : window(window), one(most), other(most) {}

    Row *tick(Int now, const Fact *facts, Int count, Row *out) override {
        std::swap(current, previous);
        current->order.clear();
        const Int begin = std::max(Int(0), now - window);
        for (const Fact *fact = facts; fact < facts + count; fact++) {
            auto *key = current->add(fact->first, now);
            if (!key) continue;
            const auto &before = previous->find(fact->first, now - 1);
            const bool lasts = before.time == now - 1;
            key->since = lasts ? before.since : now;
            key->reported = key->since <= begin;
            if (key->reported && !(lasts && before.reported)) *out++ = {0, 1, fact->first, 0};
        }
        for (Word at : previous->order) {
            const auto &before = previous->slots[at];
            if (before.reported && current->find(before.key, now).time != now) *out++ = {0, -1, before.key, 0};
        }
        return out;
    }

    Row *answer(Int, Row *out) override {
        for (Word at : current->order)
            if (current->slots[at].reported) *out++ = {0, 1, current->slots[at].key, 0};
        return out;
    }
};

// Figure 4 of the paper. Changes are of what holds now; the answer has `steam(V) at T` and the like at all times of
// the window.
struct Cooling : Loop {
    enum Head { STEAM, LIQUID, IS_STEAM, IS_LIQUID, ALARM, NORMAL, FREEZE, VERY_HOT, VERY_COLD };
    static constexpr Int OF_TIME[] = {IS_STEAM, IS_LIQUID, VERY_HOT, VERY_COLD};

    struct Point {
        std::vector<Row> rows;  // steam and liquid
        bool of_time[4] = {};   // whether there is such an atom at, or of, this time
    };

    Int window;
    Keys one, other;
    Keys *current = &one, *previous = &other;
    std::vector<Point> points;           // by time
    Int since[2] = {NONE, NONE};         // since when there is steam, liquid
    bool states[3] = {};                 // alarm, normal, freeze

    Cooling(Int window, Int most) : window(window), one(most), other(most), points(window + 2) {}

    Point &point(Int time) { return points[(time + Int(points.size())) % Int(points.size())]; }

    Row *tick(Int now, const Fact *facts, Int count, Row *out) override {
        std::swap(current, previous);
        current->order.clear();
        const Point &past = point(now - 1), &gone = point(now - window - 1);
        for (int i = 2; i < 4; i++)
            if (now > window && gone.of_time[i]) *out++ = {OF_TIME[i], -1, now - window - 1, 0};
        Point &here = point(now);
        here.rows.clear();
        std::fill(here.of_time, here.of_time + 4, false);
        for (const Fact *fact = facts; fact < facts + count; fact++) {
            const Int degrees = fact->first;
            if (degrees < 1 || !current->add(degrees, now)) continue;
            const bool liquid = degrees < 100;
            here.rows.push_back({liquid, 1, degrees, now});
            here.of_time[liquid] = true;
            if (degrees >= 150) here.of_time[2] = true;
            if (degrees == 1) here.of_time[3] = true;
            if (previous->find(degrees, now - 1).time != now - 1) *out++ = {liquid, 1, degrees, 0};
        }
        for (Word at : previous->order) {
            const Int degrees = previous->slots[at].key;
            if (current->find(degrees, now).time != now) *out++ = {degrees < 100, -1, degrees, 0};
        }
        bool lasting[2];
        for (int i = 0; i < 2; i++) {
            if (!here.of_time[i]) since[i] = NONE;
            else if (since[i] == NONE) since[i] = now;
            lasting[i] = since[i] != NONE && since[i] <= std::max(Int(0), now - window);
            const bool before = now > 0 && past.of_time[i];
            if (here.of_time[i] != before) *out++ = {OF_TIME[i], before ? -1 : 1, 0, 0};
            if (here.of_time[2 + i]) *out++ = {OF_TIME[2 + i], 1, now, 0};
        }
        const bool hold[3] = {lasting[0], lasting[1], !lasting[0] && !lasting[1]};
        for (int i = 0; i < 3; i++) {
            if (hold[i] != states[i]) *out++ = {ALARM + i, hold[i] ? 1 : -1, 0, 0};
            states[i] = hold[i];
        }
        return out;
    }

    Row *answer(Int now, Row *out) override {
        for (Int time = std::max(Int(0), now - window); time <= now; time++) {
            const Point &past = point(time);
            out = std::copy(past.rows.begin(), past.rows.end(), out);
            for (int i = 0; i < 4; i++)
                if (past.of_time[i]) *out++ = {OF_TIME[i], 1, time, 0};
        }
        for (int i = 0; i < 3; i++)
            if (states[i]) *out++ = {ALARM + i, 1, 0, 0};
        return out;
    }
};

}  // namespace

extern "C" {

// `most` facts come at a time point; `results` are the records of a join that the ring has room for.
void *loop_new(int kind, Int window, Int most, Int results) {
    const Int live = most * (window + 2);
    switch (kind) {
        case 0: return static_cast<Loop *>(new Diamond(window, live));
        case 1: return static_cast<Loop *>(new Box(window, most));
        case 2: return static_cast<Loop *>(new Join(window, live, results));
        default: return static_cast<Loop *>(new Cooling(window, most));
    }
}

void loop_free(void *loop) { delete static_cast<Loop *>(loop); }

// One time point: the number of rows of changes in `out`; or -1 if a ring has no room.
Int loop_tick(void *loop, Int now, const Fact *facts, Int count, Row *out) {
    try {
        return static_cast<Loop *>(loop)->tick(now, facts, count, out) - out;
    } catch (const Full &) {
        return -1;
    }
}

// The number of rows that hold now; they are in `out`.
Int loop_answer(void *loop, Int now, Row *out) { return static_cast<Loop *>(loop)->answer(now, out) - out; }

}  // extern "C"
