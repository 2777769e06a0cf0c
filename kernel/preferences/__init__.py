"""What teams and companies decide about plugins, kept by the kernel."""

from kernel.preferences.store import StoredPreferences

__all__ = ["StoredPreferences"]
