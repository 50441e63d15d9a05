import pathlib
import sys
import tempfile

from hypothesis import configuration, settings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
# Nothing is left in the repository.
configuration.set_hypothesis_home_dir(tempfile.mkdtemp())
settings.register_profile("neardup", database=None, deadline=None)
settings.load_profile("neardup")
