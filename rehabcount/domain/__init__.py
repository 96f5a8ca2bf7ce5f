"""The words of the field as frozen types. Only numpy and the standard library are known here."""
