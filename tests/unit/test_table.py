"""Tables on disk: what is written reads back, and what is wrong is named with its line."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric import table
from fabric.errors import ArtifactError


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    count: int
    length_m: float
    note: str | None = None
    flag: bool | None = None


def _read(tmp_path, content):
    path = tmp_path / "rows.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return table.read(_Row, path, "rows.csv")


def _faults(tmp_path, content):
    with pytest.raises(ArtifactError) as caught:
        _read(tmp_path, content)
    return [str(fault) for fault in caught.value.faults]


def test_text_of_cells():
    """None is empty, truth values are words, floats have at most nine significant digits."""
    assert [table.cell(value) for value in (None, True, False, 3, 2.0, 1 / 3, "x")] == [
        *("", "true", "false", "3", "2", "0.333333333", "x")
    ]


def test_written_rows_read_back(tmp_path):
    """Quotes, commas and umlauts survive; optional cells may be empty."""
    rows = [_Row('a "quoted", ü', 1, 2.5, flag=True), _Row("b", -2, 1e-05, "note")]
    text = table.text(_Row, rows)
    assert _read(tmp_path, text) == rows
    assert table.text(_Row, _read(tmp_path, text)) == text


def test_columns_of_mixed_values_are_spelled_as_cells():
    """Every column of a row reads as `cell` spells it, a whole number in a column of floats too."""
    row = _Row("-1", 0, 3, None, flag=False)
    cells = ",".join(table.cell(value) for value in (row.name, row.count, row.length_m, row.note, row.flag))
    assert table.text(_Row, [row]).splitlines()[1] == cells == "-1,0,3,,false"


def test_equal_texts_are_kept_once(tmp_path):
    """A name that stands in many rows is one object, so that tables of links take little memory."""
    first, second = _read(tmp_path, "name,count,length_m\nleaf-0001,1,1\nleaf-0001,2,1\n")
    assert first.name is second.name


def test_optional_columns_may_be_absent_and_in_any_order(tmp_path):
    """A proposal needs only the columns without a default."""
    assert _read(tmp_path, "length_m,count,name\n1.5,2,a\n") == [_Row("a", 2, 1.5)]


def test_spreadsheet_habits_are_passed_over(tmp_path):
    """A byte order mark and carriage returns are how spreadsheets save."""
    assert _read(tmp_path, b"\xef\xbb\xbfname,count,length_m\r\na,2,1.5\r\n") == [_Row("a", 2, 1.5)]


def test_faults_of_the_header_come_at_once(tmp_path):
    """Unknown with the nearest spelling, twice, and missing."""
    assert _faults(tmp_path, "name,lenght_m,note,note\n") == [
        "rows.csv:1: lenght_m: unknown column, did you mean length_m?",
        "rows.csv:1: note: this column stands twice",
        "rows.csv:1: count: this column is missing",
        "rows.csv:1: length_m: this column is missing",
    ]


def test_faults_of_cells_come_at_once(tmp_path):
    """Each with its line and column, and with what is allowed."""
    content = 'name,count,length_m,flag\na,4oo,1,\nb,1_0,nan,yes\n,1,1,\n"c\nd",1,1e9,\ne,1\n'
    assert _faults(tmp_path, content) == [
        "rows.csv:2: count: '4oo' is not a whole number",
        "rows.csv:3: count: '1_0' is not a whole number",
        "rows.csv:3: length_m: 'nan' is not a number",
        "rows.csv:3: flag: 'yes' is not true or false",
        "rows.csv:4: name: an empty cell is not text in one line",
        "rows.csv:6: name: 'c\\nd' is not text in one line",
        "rows.csv:6: length_m: '1e9' is not a number",
        "rows.csv:7: 2 cells where the header has 4",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "rows.csv:1: this table is empty; a header row is the least it holds"),
        (b"name\n\xff", "rows.csv: not a text file in UTF-8"),
        ("name\0", "rows.csv: not a text file: it holds zero bytes"),
        ('name,count,length_m\n"a"b,1,1\n', "rows.csv:2: not a CSV row: ',' expected after '\"'"),
        ('name,count,length_m\n"a,1,1\n', "rows.csv:2: not a CSV row: unexpected end of data"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, content, message):
    """Each kind of broken file is named."""
    assert _faults(tmp_path, content) == [message]


def test_a_missing_table_and_a_folder_are_refused(tmp_path):
    """Both say what is wrong, without a traceback."""
    for path, message in ((tmp_path / "none", "this table is missing"), (tmp_path, "cannot be read: Is a directory")):
        with pytest.raises(ArtifactError, match=message):
            table.read(_Row, path, "rows.csv")


def test_many_faults_are_counted_and_not_listed(tmp_path):
    """A table that is wrong in every row does not flood the terminal."""
    faults = _faults(tmp_path, "name,count,length_m\n" + "a,x,1\n" * 200)
    assert len(faults) == table.MAX_FAULTS + 1
    assert faults[-1] == "rows.csv: and 150 more"


_CELLS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=8)
_ROWS = st.lists(
    st.builds(
        _Row,
        name=_CELLS,
        count=st.integers(-(10**9), 10**9),
        length_m=st.floats(-1e6, 1e6).map(lambda value: float(f"{value:.9g}")),
        note=st.none() | _CELLS,
        flag=st.none() | st.booleans(),
    ),
    max_size=5,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=_ROWS)
def test_reading_and_writing_changes_no_byte(tmp_path, rows):
    """Any rows read back as they are, and write the same text again."""
    text = table.text(_Row, rows)
    assert _read(tmp_path, text) == rows
    assert table.text(_Row, _read(tmp_path, text)) == text
