"""The page in a real browser."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import lasing
from lasing.serve.app import application
from lasing.serve.server import bound
from lasing.serve.settings import Address, Bounds, Given, Settings
from tests.serve.browser import browser, needs_browser

pytestmark = [needs_browser, pytest.mark.xdist_group("browser")]

PATIENCE = 900_000
Visit = Callable[..., Any]


@contextmanager
def serving(folder: Path, bounds: Bounds) -> Iterator[str]:
    """A page with a function that takes for ever."""
    wait = "import time\ndef wait(x):\n    time.sleep(6000)\n    return x\n"
    (folder / "slow.py").write_text(wait, encoding="utf-8")
    listening, address = bound(Address(port=0))
    app: Any = application(Settings(bounds, Given(folder=str(folder), functions="slow"), address))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    yield address.url
    server.should_exit = True
    thread.join()
    listening.close()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page whose bounds no test reaches, however busy the machine is."""
    with serving(tmp_path_factory.mktemp("page"), Bounds(seconds=900, check_seconds=900)) as url:
        yield url


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[str]:
    """A page whose bound on time is soon reached."""
    with serving(tmp_path, Bounds(seconds=20, check_seconds=900)) as url:
        yield url


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture
def visit(chromium: Any, url: str) -> Iterator[Visit]:
    """Open the page in a browser of its own; whatever the browser complains about fails the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_page(address: str = url, wait: str = "#verdict:not(:empty)", **options: Any) -> Any:
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        page.wait_for_selector(wait, state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def write(page: Any, program: str, stream: str = "", language: str = "lars") -> None:
    """Put a program and a stream into the editors, and wait until the program has been read."""
    page.select_option("#language", language)
    for field in ("#from", "#to"):
        page.fill(field, "")
    page.fill("#stream-editor textarea", stream)
    with page.expect_response(lambda answer: "/api/ask" in answer.url and program in _sent(answer)):
        page.fill("#program-editor textarea", program)


def _sent(answer: Any) -> str:
    found = answer.request.post_data_json or {}
    return str(found.get("text", ""))


def play(page: Any, state: str = "ended") -> None:
    page.select_option("#speed", "2000")
    page.click("#play")
    page.wait_for_selector(f"#state[data-state={state}]", state="attached")


def ask(page: Any, atom: str) -> str:
    page.fill("#ask-atom", atom)
    page.click("#ask-form button")
    page.wait_for_selector(f"#why-answer .why-heading:has-text('{atom}')")
    text: str = page.inner_text("#why-answer")
    return text


HOT = "hot(S) :- temp(S, V) in [2], V > 30."
READINGS = "temp(s1, 35) at 1.\ntemp(s2, 20) at 2.\ntemp(s2, 40) at 6.\n"


def test_an_example_is_there_and_plays(visit: Visit) -> None:
    page = visit()
    assert page.input_value("#program-editor textarea").startswith("% A fire alarm")
    assert page.inner_text("#verdict") == "No mistakes"
    play(page)
    assert page.locator("rect.bar").count() == 3
    assert "fire" in page.inner_text(".timeline-labels")


def test_every_example_plays(visit: Visit) -> None:
    page = visit()
    for title in page.locator("#example option:not([disabled])").all_inner_texts():
        page.select_option("#example", label=title)
        play(page)
        assert page.locator("rect.bar").count() > 0, title
        assert page.locator("circle.mark").count() > 0, title


def test_mistakes_are_shown_while_one_types(visit: Visit) -> None:
    page = visit()
    write(page, "q(X, Y) :- p(X).")
    page.wait_for_selector("#verdict.error")
    assert page.inner_text(".underlined.error") == "Y"
    assert "Y is unsafe" in page.inner_text("#program-findings")
    assert page.get_attribute("#program-editor textarea", "aria-invalid") == "true"
    page.click("#program-findings .line-link")
    note = page.locator(".editor-note.below")
    line = page.locator(".editor-copy .underlined").bounding_box()
    assert note.bounding_box()["y"] >= line["y"] + line["height"] - 3, "it is below the line"
    write(page, "q(X) :- p(X).")
    page.wait_for_selector("#verdict.fine")
    assert page.locator("#program-findings").is_hidden()


def test_steps_and_what_changed_at_each(visit: Visit) -> None:
    page = visit()
    write(page, HOT, READINGS)
    page.click("#tab-changes")
    page.click("#step")
    page.wait_for_selector(".chip.added")
    assert page.inner_text(".chip.added") == "hot(s1)"
    assert page.inner_text("#clock") == "1"
    page.click("#step")
    page.click("#step")
    page.wait_for_selector(".chip.removed")
    assert page.inner_text(".chip.removed") == "hot(s1)"
    assert page.inner_text("#clock") == "4"


def test_playing_can_be_paused(visit: Visit) -> None:
    page = visit()
    write(page, HOT, "".join(f"temp(s1, {i % 50}) at {i}.\n" for i in range(200)))
    page.select_option("#speed", "10")
    page.click("#play")
    page.wait_for_selector("#state[data-state=playing]")
    page.wait_for_selector("rect.cursor-band", state="attached")
    page.click("#play")
    page.wait_for_selector("#state[data-state=paused]")
    assert int(page.inner_text("#clock")) < 199


def test_a_bar_says_why_and_a_gap_why_not(visit: Visit) -> None:
    page = visit()
    write(page, HOT, READINGS)
    play(page)
    bar = page.locator("rect.bar").first.bounding_box()
    page.mouse.click(bar["x"] + 3, bar["y"] + bar["height"] / 2)
    page.wait_for_selector("#why-answer .verdict.yes")
    assert "temp(s1,35) at 1" in page.inner_text("#why-answer")
    assert page.locator("circle.mark.used").count() == 1
    row = page.locator("rect.row-back").first.bounding_box()
    scale = bar["width"] / 3
    page.mouse.click(bar["x"] + 4.5 * scale, row["y"] + row["height"] / 2)
    page.wait_for_selector("#why-answer .verdict.no")
    assert "hot(s1) does not hold at 5" in page.inner_text("#why-answer").replace("\n", " ").replace("  ", " ")


def test_a_question_can_have_its_own_time(visit: Visit) -> None:
    page = visit()
    write(page, HOT, READINGS)
    play(page)
    page.fill("#ask-atom", "hot(s1) at 2")
    page.click("#ask-form button")
    page.wait_for_selector("#why-answer .why-heading:has-text('hot(s1) holds at 2')")
    assert page.inner_text("#clock") == "2"


def test_a_fact_in_an_explanation_can_be_clicked(visit: Visit) -> None:
    page = visit()
    play(page)
    page.click("rect.bar >> nth=1")
    page.click("#why-answer .atom-link:has-text('hot(s1)')")
    page.wait_for_selector("#why-answer .why-heading:has-text('hot(s1)')")
    page.click("#why-answer .line-link")
    selected = page.eval_on_selector("#program-editor textarea", "area => area.selectionStart")
    assert page.input_value("#program-editor textarea")[selected:].startswith("hot(S) :-")


def test_an_explanation_begins_with_the_words_of_the_program(visit: Visit) -> None:
    page = visit()
    write(page, f'%! hot(S): "{{S}} was too hot"\n{HOT}', READINGS)
    play(page)
    page.locator("rect.bar").first.click()
    page.wait_for_selector(".why-words:has-text('s1 was too hot')")


def test_the_result_of_a_query_is_explained_with_its_columns_and_variables(visit: Visit) -> None:
    page = visit()
    page.select_option("#example", label="Hot rooms in SPARQL")
    assert page.locator("#program-editor .t-keyword:text-is('in')").count() == 0  # it is a name here: `:in`
    play(page)
    page.locator("rect.bar").first.click()
    page.wait_for_selector("#why-answer .why-heading:has-text('alerts(?room = :kitchen')")
    assert "?v > 30: 32 > 30" in page.inner_text("#why-answer")
    assert "MAX is 32" in page.inner_text("#why-answer")


def test_lanes_for_bad_data_are_there_once_there_is_any(visit: Visit) -> None:
    page = visit()
    page.select_option("#example", label="Smoke after heat in TESLA")
    play(page)
    assert "rejected" not in page.inner_text(".timeline-labels")
    page.fill("#stream-editor textarea", "smoke(7) at 1.\n")
    play(page)
    assert "rejected_smoke" in page.inner_text(".timeline-labels")


def test_nodes_that_a_pattern_makes_have_short_names(visit: Visit) -> None:
    page = visit()
    page.select_option("#example", label="Smoke after heat in DOTR")
    play(page)
    labels = page.inner_text(".timeline-labels")
    assert "_:fire_4" in labels
    assert "new(" not in labels


def test_another_example_has_no_question_yet(visit: Visit) -> None:
    page = visit()
    page.fill("#ask-atom", "fire(kitchen)")
    page.select_option("#example", label="Trams")
    assert page.input_value("#ask-atom") == ""


def test_rules_have_rates_however_short_the_run(visit: Visit) -> None:
    page = visit()
    write(page, HOT, READINGS)
    play(page)
    page.click("#tab-rules")
    rates = page.locator("table.rules tbody td:nth-child(3)").all_inner_texts()
    assert all(float(rate.replace(",", "")) > 0 for rate in rates), rates


def test_rules_have_rows_and_times(visit: Visit) -> None:
    page = visit()
    play(page)
    page.click("#tab-rules")
    rows = page.locator("#rules-content tbody tr")
    assert rows.count() == 3
    assert re.fullmatch(r"[1-9]\d*", rows.nth(0).locator("td.number").nth(0).inner_text())
    assert "ms" in rows.nth(0).locator("td.number").nth(2).inner_text()


def test_two_tabs_run_different_programs(visit: Visit) -> None:
    first, second = visit(), visit()
    write(first, HOT, READINGS)
    write(second, "cold(S) :- temp(S, V) in [2], V < 30.", READINGS)
    play(first)
    play(second)
    assert "holds at" in ask(first, "hot(s2)")
    second.fill("#ask-atom", "hot(s2)")
    second.click("#ask-form button")
    second.wait_for_selector("#why-answer .why-none:has-text('no predicate hot')")


def test_a_reload_keeps_what_was_written(visit: Visit) -> None:
    page = visit()
    write(page, HOT, READINGS)
    play(page)
    page.reload()
    page.wait_for_selector("#verdict:not(:empty)")
    assert page.input_value("#program-editor textarea") == HOT
    assert page.input_value("#stream-editor textarea") == READINGS
    play(page)
    assert page.locator("rect.bar").count() == 2


def test_a_link_has_everything_in_it(visit: Visit) -> None:
    page = visit()
    write(page, HOT, READINGS)
    page.click("#share")
    page.wait_for_selector("#share-dialog[open]")
    page.wait_for_selector("#share-said:not(:empty)")
    link = page.input_value("#share-link")
    assert "#p=" in link
    other = visit(link)
    assert other.input_value("#program-editor textarea") == HOT
    assert other.input_value("#stream-editor textarea") == READINGS
    assert other.inner_text("#state") == "Ready", "nothing runs because of a link"
    assert "#" not in other.url


def test_a_damaged_link_is_no_harm(visit: Visit, url: str) -> None:
    page = visit(f"{url}#p=abcdef")
    assert page.input_value("#program-editor textarea").startswith("% A fire alarm")


def test_a_file_can_be_uploaded(visit: Visit, tmp_path: Path) -> None:
    (tmp_path / "temp.csv").write_text("time,sensor,value\n1,s9,35\n", encoding="utf-8")
    page = visit()
    write(page, HOT, READINGS)
    page.set_input_files("#upload-file", tmp_path / "temp.csv")
    page.wait_for_selector("#stream-file:has-text('temp.csv')")
    play(page)
    assert "s9" in page.inner_text(".timeline-labels")


def test_a_stream_can_be_generated(visit: Visit) -> None:
    page = visit()
    write(page, HOT)
    page.click("#generate")
    page.fill("#generate-form [name=points]", "20")
    page.click("#generate-form button[type=submit]")
    page.wait_for_selector("#generate-dialog:not([open])", state="attached")
    assert page.input_value("#stream-editor textarea").startswith("temp(")
    play(page)
    assert page.locator("rect.bar").count() > 0


def test_a_program_that_runs_too_long_is_stopped(impatient: str, visit: Visit) -> None:
    page = visit(impatient)
    write(page, "q(@wait(X)) :- p(X).", "p(1) at 1.")
    play(page, "failed")
    assert "longer than 20 s and was stopped" in page.inner_text("#why-answer")
    assert "--max-time" in page.inner_text("#why-answer")
    write(page, HOT, READINGS)
    play(page)
    assert page.locator("rect.bar").count() == 2, "the page goes on with a new process"


def test_a_mistake_in_the_stream_is_shown_there(visit: Visit) -> None:
    page = visit()
    write(page, HOT, "temp(s1, 35) at 1.\ntemp(s1 at 2.\n")
    play(page, "failed")
    assert "line 2" in page.inner_text("#stream-findings")


def test_the_keyboard_is_enough(visit: Visit) -> None:
    page = visit()
    write(page, HOT, READINGS)
    page.focus("#program-editor textarea")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#state[data-state=ended]")
    page.focus(".timeline-body")
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.wait_for_selector("#live:has-text('hot(s1) holds at 1')", state="attached")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#why-answer .why-heading:has-text('hot(s1)')")
    assert page.inner_text("#clock") == "2"
    page.focus("#tab-why")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#tab-changes", "aria-selected") == "true"
    assert page.locator("#changes-panel").is_visible()


def test_everything_that_can_be_used_has_a_name_and_a_place_in_the_order(visit: Visit) -> None:
    page = visit()
    play(page)
    reached = []
    page.focus(".skip")
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate(
            """() => [document.activeElement].map((one) => one.id || one.closest(".editor")?.id || one.className)[0]"""
        )
        if name in reached:
            break
        reached.append(name)
    editing = ["example", "share", "language", "program-editor", "from", "stream-editor"]
    order = [*editing, "play", "step", "timeline-body", "tab-why", "ask-atom"]
    assert [name for name in reached if name in order] == order
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, textarea, [tabindex='0']")]
        .filter((one) => one.checkVisibility())
        .filter((one) => !(one.ariaLabel || one.innerText || one.labels?.length || one.getAttribute("aria-labelledby")))
        .map((one) => one.outerHTML)"""
    )
    assert unnamed == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read(visit: Visit, scheme: str) -> None:
    """The contrast of every visible text with what is behind it, by the formula of WCAG: at least 4.5."""
    page = visit(color_scheme=scheme)
    play(page)
    ask(page, "fire(kitchen)")
    page.click("#tab-rules")
    weak = page.evaluate(CONTRAST)
    assert weak == []


def test_the_bars_of_buttons_have_one_line_each(visit: Visit) -> None:
    page = visit(viewport={"width": 1280, "height": 800})
    write(page, HOT, READINGS)
    play(page)
    heights = page.evaluate("[...document.querySelectorAll('.panel-head')].map((head) => head.offsetHeight)")
    assert [height for height in heights if height > 55] == []


END_OF_TEXT = """() => {
  const copy = document.querySelector("#program-editor .editor-copy");
  const walker = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let end = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) end = Math.max(end, box.right);
  }
  return end;
}"""
"""Where the longest line of the program ends."""


@pytest.mark.parametrize("width", [390, 1280])
def test_a_message_beside_its_line_leaves_the_text_alone(visit: Visit, width: int) -> None:
    page = visit(viewport={"width": width, "height": 800})
    if width < 900:
        page.click("#pane-tab-program")
    # Typing leaves the cursor in the third line.
    page.fill("#program-editor textarea", "p :- q\nfoo(X) :- bar(Y), X > 3.\n")
    page.wait_for_selector(".editor-note")
    beginning: float = page.evaluate("document.querySelector('.editor-note').getBoundingClientRect().left")
    assert beginning > page.evaluate(END_OF_TEXT)


def test_curves_of_one_lane_are_told_apart(visit: Visit) -> None:
    page = visit()
    write(page, HOT, READINGS)
    play(page)
    assert page.inner_text(".legend").split() == ["s1", "s2"]


def test_on_a_phone_nothing_is_cut_off(visit: Visit) -> None:
    page = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    for pane in ("run", "program", "stream"):
        page.tap(f"#pane-tab-{pane}")
        width = page.evaluate("() => document.documentElement.scrollWidth")
        assert width <= 360, pane
    page.tap("#pane-tab-run")
    page.tap("#play")
    page.wait_for_selector("#state[data-state=ended]", state="attached")
    small = page.evaluate(
        """() => [...document.querySelectorAll(".transport button, .pane-tabs button, .top select")]
        .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 40).map((one) => one.id)"""
    )
    assert small == [], "fingers need room"


def test_an_engine_that_runs(visit: Visit) -> None:
    engine = lasing.Engine(HOT, start=0)
    engine.push(1, [("temp", "s0", 50)])
    with engine.serve() as served:
        page = visit(served.url, "#state[data-state=playing]")
        assert page.locator("#play").is_hidden()
        assert page.locator("#program-editor textarea").get_attribute("readonly") is not None
        engine.push(2, [("temp", "s1", 35)])
        page.wait_for_selector("rect.bar >> nth=1")
        assert "s0" in page.inner_text(".timeline-labels")
        page.wait_for_selector("#figures:has-text('Pushes')")
        assert "holds at" in ask(page, "hot(s1)")
        engine.advance_to(20)
        page.wait_for_selector("#clock:has-text('20')")
        page.close()  # before its events end


CONTRAST = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => {
    const linear = (one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [x, y, z] = [r, g, b].map((one) => linear(one / 255));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const weak = [];
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility() || element.closest("svg, option, .editor-area, :disabled")) continue;
    if (![...element.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim())) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) weak.push([element.tagName, element.className, element.textContent.slice(0, 30), contrast]);
  }
  return weak;
}"""
