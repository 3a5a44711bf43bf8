"""Addressing: numbers for devices and links that growth does not change.

Owns autonomous systems, loopbacks, link and host networks, management addresses, and placeholder GUIDs for
InfiniBand, whose port numbers stand in `port_numbers`. Takes a topology and the request's pools, gives `DeviceAddress`
and `LinkAddress` records.

Must not know: cabling, what a configuration looks like.

Decisions:
- Every device has an ordinal in its kind: nodes, spines and attached devices in natural order of their names,
  leaves and routers by unit, then rail, then name. What is added later comes last, so nothing before it moves.
- Planes interleave (ordinal x planes + plane): a pool is not cut into planes of a guessed size.
- A pool is shared in eighths by kind (`pools.SHARES`); a kind that outgrows its share is refused with the
  arithmetic, it never flows into its neighbour.
- Links have /31 networks (RFC 3021), the lower address at end a. A node's links lie in one block of a power of
  two; a leaf's uplinks too. A block belongs to its device, whatever else is cabled.
- Leaves and routers have one autonomous system each, the spines of a plane, or of each of its groups, share one: a path
  that bounces leaf-spine-leaf-spine carries the spines' number twice and is dropped by BGP's own loop check (RFC 7938,
  section 5.2).
- GUIDs are burnt in by the maker and known only on site. Ours are placeholders: the locally administered bit is
  set, which no maker's GUID has, so that they are seen at once and replaced from the inventory.
"""
