"""What the notebooks show: the outputs of one whole run, and nothing of the machine it was made on.

That they run is tested by nbmake: `pytest --nbmake notebooks`.
"""

import json
import pathlib
import re

import pytest

FOLDER = pathlib.Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SHOWS = re.compile(r"^\s*(print|show|play_out|plt\.show)\(", re.MULTILINE)
OF_A_MACHINE = re.compile(r"/(tmp|home|root|work|Users|var)/|[A-Z]:\\\\|\.venv|site-packages")

of_each_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)


def code_cells(notebook: pathlib.Path) -> list[dict]:
    return [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]


@of_each_notebook
def test_there_are_cells_and_they_were_run_in_order(notebook):
    counts = [cell["execution_count"] for cell in code_cells(notebook)]
    assert counts
    assert counts == list(range(1, len(counts) + 1))


@of_each_notebook
def test_every_cell_that_shows_something_has_kept_it(notebook):
    showing = [cell for cell in code_cells(notebook) if SHOWS.search("".join(cell["source"]))]
    assert showing
    for cell in showing:
        assert cell["outputs"], "".join(cell["source"])


@of_each_notebook
def test_no_output_is_an_error_a_warning_or_of_a_machine(notebook):
    for output in (output for cell in code_cells(notebook) for output in cell["outputs"]):
        assert output["output_type"] != "error", output
        assert output.get("name") != "stderr", output
        texts = [output.get("text", []), output.get("data", {}).get("text/plain", [])]
        assert not OF_A_MACHINE.search("".join(line for text in texts for line in text)), output


def test_the_first_look_is_at_every_game(game):
    source = "".join(line for cell in code_cells(FOLDER / "first_look.ipynb") for line in cell["source"])
    assert f'sobremesa.Tables("{game}"' in source
