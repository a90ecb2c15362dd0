"""Mutants of a room: which small changes of its code do the tests not notice?

python tests/mutants.py quadrepro/stats tests/stats --number 30
"""

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

SWAPPED = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the node with another operator, constant or condition."""
    match node:
        case ast.Compare(left, [op], rest) if type(op) in SWAPPED:
            yield ast.Compare(left, [SWAPPED[type(op)]()], rest)
        case ast.BinOp(left, op, right) if type(op) in SWAPPED:
            yield ast.BinOp(left, SWAPPED[type(op)](), right)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(SWAPPED[type(op)](), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)


def mutants(file: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, change and mutated text for every place in the functions of a file."""
    text = file.read_text()
    lines = text.encode().splitlines(keepends=True)
    for function in (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)):
        for node in (n for statement in function.body for n in ast.walk(statement)):
            for changed in changes(node):
                start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
                end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
                old, new = text.encode()[start:end], f"({ast.unparse(changed)})".encode()
                whole = text.encode()[:start] + new + text.encode()[end:]
                yield node.lineno, f"{old.decode()} -> {new.decode()}", whole.decode()


def main() -> None:
    """Try a sample of mutants in a copy of the tree, and print those that survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("code", type=Path)
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--number", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    files = sorted(options.code.rglob("*.py")) if options.code.is_dir() else [options.code]
    every = [(file, *mutant) for file in files for mutant in mutants(file)]
    drawn = random.Random(options.seed).sample(every, min(options.number, len(every)))
    alive = 0
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name, "tree")
        shutil.copytree(".", tree, ignore=shutil.ignore_patterns(".venv", ".git", "build"))
        pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-mnot slow", *options.tests]
        for file, line, change, text in drawn:
            (tree / file).write_text(text)
            try:
                run = subprocess.run(pytest, cwd=tree, capture_output=True, timeout=600)
                survives = run.returncode == 0
            except subprocess.TimeoutExpired:
                survives = False
            shutil.copy(file, tree / file)
            alive += survives
            print("survives" if survives else "killed  ", f"{file}:{line}: {change}", flush=True)
    print(f"{alive} of {len(drawn)} mutants survive")


if __name__ == "__main__":
    main()
