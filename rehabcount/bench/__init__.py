"""One file per experiment, named after its paper; `rehabcount bench` lists them."""
