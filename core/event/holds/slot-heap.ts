import type { HoldTable } from './active-hold.ts'

/**
 * A binary heap of holds, by slot, in a stretch of an Int32Array: `heap[start + i]` ends no later than
 * `heap[start + 2i + 1]` and `heap[start + 2i + 2]`. Every hold knows its position (`place`), so that a hold
 * that ends or is extended is found at once and no dead entries pile up. Ties are broken by hold id: the
 * order is the same in a state that was replayed and in one that was restored.
 */
export interface Stretch {
  readonly heap: Int32Array
  readonly start: number
  readonly size: number
}

/** Puts the hold into the hole at `from`, or further up. */
export function moveUp(
  holds: HoldTable,
  { heap, start }: Stretch,
  place: Int32Array,
  { slot, from }: { slot: number; from: number },
): void {
  let position = from
  while (position > 0) {
    const parent = (position - 1) >> 1
    const above = heap[start + parent]!
    if (!endsBefore(holds, slot, above)) break
    heap[start + position] = above
    place[above] = position
    position = parent
  }
  heap[start + position] = slot
  place[slot] = position
}

/** Puts the hold into the hole at `from`, or further down. */
export function moveDown(
  holds: HoldTable,
  { heap, start, size }: Stretch,
  place: Int32Array,
  { slot, from }: { slot: number; from: number },
): void {
  let position = from
  for (;;) {
    let child = 2 * position + 1
    if (child >= size) break
    if (child + 1 < size && endsBefore(holds, heap[start + child + 1]!, heap[start + child]!)) child += 1
    const below = heap[start + child]!
    if (!endsBefore(holds, below, slot)) break
    heap[start + position] = below
    place[below] = position
    position = child
  }
  heap[start + position] = slot
  place[slot] = position
}

/** Takes the hold out of a heap of `size`, which has one less afterwards. */
export function takeOut(
  holds: HoldTable,
  { heap, start, size }: Stretch,
  place: Int32Array,
  slot: number,
): void {
  const hole = place[slot]!
  const last = heap[start + size - 1]!
  if (last === slot) return
  const rest = { heap, start, size: size - 1 }
  moveDown(holds, rest, place, { slot: last, from: hole })
  if (place[last] === hole) moveUp(holds, rest, place, { slot: last, from: hole })
}

/** The holds that have run out, in no order: k of them in O(k) steps. */
export function eachDue(
  { heldUntil }: HoldTable,
  { heap, start, size }: Stretch,
  now: number,
  visit: (slot: number) => void,
): void {
  const positions = [0]
  for (let position = positions.pop(); position !== undefined; position = positions.pop()) {
    if (position >= size) continue
    const slot = heap[start + position]!
    if (heldUntil[slot]! > now) continue
    visit(slot)
    positions.push(2 * position + 1, 2 * position + 2)
  }
}

/**
 * The holds that have run out, soonest first. Finding k of them takes O(k log k) steps, however many there
 * are, and changes nothing: it walks down from the top and keeps the positions it may visit next in a heap.
 */
export function* due(
  holds: HoldTable,
  { heap, start, size }: Stretch,
  now: number,
): Generator<number, void, void> {
  const { heldUntil } = holds
  const frontier: number[] = []
  const isBefore = (a: number, b: number) => endsBefore(holds, heap[start + a]!, heap[start + b]!)
  const offer = (position: number) => {
    if (position < size && heldUntil[heap[start + position]!]! <= now) {
      pushPosition(frontier, position, isBefore)
    }
  }
  offer(0)
  while (frontier.length > 0) {
    const position = popPosition(frontier, isBefore)
    yield heap[start + position]!
    offer(2 * position + 1)
    offer(2 * position + 2)
  }
}

function endsBefore({ heldUntil, ids }: HoldTable, a: number, b: number): boolean {
  const untilA = heldUntil[a]!
  const untilB = heldUntil[b]!
  return untilA < untilB || (untilA === untilB && ids.isBefore(a, b))
}

function pushPosition(heap: number[], item: number, isBefore: (a: number, b: number) => boolean): void {
  let position = heap.length
  heap.push(item)
  while (position > 0) {
    const parent = (position - 1) >> 1
    if (!isBefore(item, heap[parent]!)) break
    heap[position] = heap[parent]!
    position = parent
  }
  heap[position] = item
}

function popPosition(heap: number[], isBefore: (a: number, b: number) => boolean): number {
  const top = heap[0]!
  const item = heap.pop()!
  if (heap.length === 0) return top
  let position = 0
  for (;;) {
    let child = 2 * position + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
    if (!isBefore(heap[child]!, item)) break
    heap[position] = heap[child]!
    position = child
  }
  heap[position] = item
  return top
}
