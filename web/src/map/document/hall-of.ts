import type { Hall } from '@voelgoed/core/allocation/hall'
import { hallOfMap } from '@voelgoed/core/allocation/hall-of-map'
import type { MapModel } from './model.ts'

const halls = new WeakMap<MapModel, Hall>()

/** Rows, neighbours, companions and groups of the hall: made when they are first asked for, and kept. */
export function hallOf(model: MapModel): Hall {
  let hall = halls.get(model)
  if (!hall) {
    hall = hallOfMap(model)
    halls.set(model, hall)
  }
  return hall
}
