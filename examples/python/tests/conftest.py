import pathlib
import sys
import tempfile

from hypothesis import HealthCheck, configuration, settings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
# Hypothesis writes to a temporary folder, not to the repository.
configuration.set_hypothesis_home_dir(tempfile.mkdtemp())
# On a busy machine, drawing an example may take long, so there is no deadline.
settings.register_profile("neardup", database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("neardup")
