"""The terms of the field as frozen types. This package uses only numpy and the standard library."""
