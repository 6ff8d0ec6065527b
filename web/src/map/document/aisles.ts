import type { MapModel } from './model.ts'

const AISLE_OF_PITCH = 1.8

/**
 * Between this seat and the next one of its row one can walk. Only for a seat that has a next one in its row.
 */
export function isAisleBehind(
  { x, y, pitch, aisleAfter }: Pick<MapModel, 'x' | 'y' | 'pitch' | 'aisleAfter'>,
  ordinal: number,
): boolean {
  const said = aisleAfter(ordinal)
  if (said !== null) return said
  const dx = x[ordinal + 1]! - x[ordinal]!
  const dy = y[ordinal + 1]! - y[ordinal]!
  const aisle = AISLE_OF_PITCH * pitch
  return dx * dx + dy * dy >= aisle * aisle
}

/** One of its neighbours in the row is across an aisle. */
export function isAtAisle(model: MapModel, ordinal: number): boolean {
  const { label, zoneOf } = { label: model.rowOf(ordinal), zoneOf: model.zoneOf }
  const isNeighbour = (other: number) =>
    model.has(other) && zoneOf[other] === zoneOf[ordinal] && model.rowOf(other) === label
  return (
    (isNeighbour(ordinal + 1) && isAisleBehind(model, ordinal)) ||
    (isNeighbour(ordinal - 1) && isAisleBehind(model, ordinal - 1))
  )
}
