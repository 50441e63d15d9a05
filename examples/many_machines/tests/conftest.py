import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))


def pytest_addoption(parser):
    parser.addoption("--engines", action="store_true", help="also on Slurm, and on Spark, whose Python package takes 491 MB")
