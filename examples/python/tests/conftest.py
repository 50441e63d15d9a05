import pathlib
import sys
import tempfile

from hypothesis import HealthCheck, configuration, settings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
# Nothing is left in the repository.
configuration.set_hypothesis_home_dir(tempfile.mkdtemp())
# On a busy machine, drawing an example can take long.
settings.register_profile("neardup", database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("neardup")
