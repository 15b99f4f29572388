"""The data files of the page: scripts that hold text and no code, every case once, each sample once a part."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mateprobe.errors import StageError
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.page import FOLDER, PARTS
from mateprobe.pipeline.page_cases import joined, write_cases
from mateprobe.pipeline.page_script import write_script
from tests.unit.conftest import Bench, left, row, study

ROWS = [row(f"n{number}", 1, -number, group=f"g{number % 2}") for number in range(1, 12)]


def data(path: Path) -> Any:
    """Return what a data file hands to the page, as a browser would read the string."""
    text = path.read_text("ascii")
    name, content = re.fullmatch(r"mateprobe\.take\('([^']*)','((?:[^'\\<\n]|\\.)*)'\);\n", text).groups()  # type: ignore[union-attr]
    assert path.as_posix().endswith(f"{name}.js")
    return json.loads(re.sub(r"\\(x3c|.)", lambda found: "<" if found[1] == "x3c" else found[1], content))


def made(bench: Bench, *rows: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Make the page of a study; return its data files by name."""
    bench.write(study(*rows, **changes))
    bench.judge()
    assert main(["page", "demo"]) == 0
    return {path.name: data(path) for path in (FOLDER / "studies/demo").iterdir()}


@pytest.mark.parametrize(
    "text",
    ["</script>", "<!--", "]]>", "'", '"', "\\", "\\'", "\u2028", "\u202e", "\0", "\ud800", "é", "😀", "${x}", "\r\n"],
    ids=ascii,
)
def test_any_text_comes_back_from_a_data_file_that_is_ascii_on_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "some.js"
    write_script(path, "some", {text: [text, 1, None]})
    assert data(path) == {text: [text, 1, None]}
    assert path.read_bytes().count(b"\n") == 1
    assert b"<" not in path.read_bytes()


def test_every_case_is_in_the_index_and_in_one_part_in_order(bench: Bench) -> None:
    files = made(bench, *ROWS)
    index = files["cases.js"]
    parts = [files[f"cases.{part:03d}.js"] for part in range(PARTS)]
    assert index["ids"] == sorted(case["id"] for case in ROWS)
    assert [len(part["cases"]) for part in parts] == [2, 2, 2, 2, 2, 1, 0, 0]
    assert index["size"] == 2
    ends = index["outcomes"]["by_sign"]
    assert {ends["names"][code] for code in ends["codes"]} == {"detected"}


def test_a_sample_of_several_cases_stands_once_in_a_part_as_canonical_text(bench: Bench) -> None:
    part = made(bench, *ROWS)["cases.000.js"]
    (first, second) = part["cases"]
    assert (part["texts"][first[0]], first[0], len(part["texts"])) == ('{"n":1}', second[0], 3)
    assert first[5] == [["accepted", "rejected", ["sign/NEGATIVE@n"], "all_expected_violations", {}]]


def test_a_study_with_shards_has_more_parts(bench: Bench) -> None:
    bench.write(study(*ROWS, shards=2))
    assert bench.run("cases").code == 0
    for shard in ("0", "1"):
        assert bench.run("observe", "--validator", "by_sign", "--shard", shard).code == 0
    assert [bench.run(*stage).code for stage in (("outcomes", "--validator", "by_sign"), ("summary",))] == [0, 0]
    assert main(["page", "demo"]) == 0
    assert len([*(FOLDER / "studies/demo").glob("cases.???.js")]) == 2 * PARTS


def test_the_page_of_the_study_counts_what_the_summary_counts(bench: Bench) -> None:
    page = made(bench, *ROWS, row("control", 1, 2, relation="preserve"))["study.js"]
    assert page["validators"] == [
        {
            "id": "by_sign",
            "detection": "100.0% (11/11)",
            "preservation": "100.0% (1/1)",
            "counts": {"detected": 11, "preserved": 1},
        }
    ]
    assert page["obligations"][0]["validators"]["by_sign"]["counts"] == {"detected": 11, "preserved": 1}
    assert [table["rows"][0][:4] for table in page["tables"]] == [["demo", "by_sign", "11", "0"]]


def test_the_page_loads_nothing_from_elsewhere() -> None:
    folder = Path(__file__).parents[2] / "mateprobe/pipeline/page_files"
    texts = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert {name for name, text in texts.items() if re.search(r"https?:|//[a-z]+\.|@import|url\(", text)} == set()
    code = "".join(text for name, text in texts.items() if name.endswith(".js"))
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|fetch\(", code) == []
    )
    assert set(re.findall(r'(?:src|href)="([^"]+)"', texts["index.html"])) <= {"data:,", "#", *texts}


def test_artifacts_of_other_cases_are_refused_and_nothing_is_left(bench: Bench) -> None:
    made(bench, *ROWS)
    before = left()
    bench.write(study(*ROWS[:-2]))
    assert bench.run("cases").code == 0
    assert main(["page", "demo"]) == 1
    assert "page: case 'n2': the outcomes of 'by_sign' have 'n10' there" in bench.capsys.readouterr().err
    assert left() == before


def test_outcomes_of_fewer_cases_are_refused() -> None:
    rows = joined([{"id": "a"}, {"id": "b"}], {"v": [{"id": "a"}]})
    with pytest.raises(StageError, match="the outcomes of v are not of as many cases as there are"):
        list(rows)


@pytest.mark.parametrize("total", [1, 3])
def test_another_number_of_cases_than_the_summary_has_is_refused(tmp_path: Path, total: int) -> None:
    case = {**row("a"), "baseline_sha256": "1", "variant_sha256": "2", "provenance": ""}
    ended = {"outcome": "detected", "baseline": "accepted", "variant": "rejected", "reported": [], "reason": ""}
    parts = [(f"p{part}", tmp_path / f"p{part}.js") for part in range(2)]
    with pytest.raises(StageError, match=f"index: expected {total} cases as in the summary, found another number"):
        write_cases(
            iter([(case, [ended])] * 2 if total == 3 else [(case, [ended])] * 3),
            total,
            ["v"],
            ("index", tmp_path / "index.js"),
            parts,
        )


def test_a_missing_summary_is_named(bench: Bench) -> None:
    made(bench, *ROWS)
    Path("results/demo/summary.json").unlink()
    assert main(["page", "demo"]) == 2
    assert "page: page: input 'summary': no file results/demo/summary.json" in bench.capsys.readouterr().err
