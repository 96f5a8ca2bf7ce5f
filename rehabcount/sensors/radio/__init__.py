"""Live sensors over Bluetooth: the only home of bleak, bleak-retry-connector and asyncio.

supervisor   Radio: one thread with one event loop; the interface for the rest of the program
airspace     scanning, connecting and the adapters' link budget, one thing at a time
link         one sensor's life: connecting, configuring, streaming, stale, lost, backing off
sync         one clock for all DOTs
meter        rate, loss, age and doubled notifications; pure
faults       every exception of the libraries as one of ours, with advice
inprocess    virtual sensors as a bleak backend: the same code without a radio
"""
