import type { Point } from '@voelgoed/core/layout/model'
import { type Camera, fitBounds, panBy, type Size, toWorld } from './camera.ts'
import { isInside } from './geometry.ts'
import type { Bounds, MapModel } from './model.ts'

type Hall = Pick<MapModel, 'bounds' | 'zones' | 'shapes'>

const MARGIN_PX = 16
/** The hall makes way by this much of what the cover takes: by less where its corners are empty. */
const SHARES = [0.25, 0.5, 0.75, 1]

/**
 * The camera that has all of the hall in view, as large as can be, though not above `mostScale`. `cover` lies
 * over the map at one of its edges, as the choice of a floor does, and is given in CSS pixels of the view:
 * nothing of the hall is below it.
 */
export function wholeView(hall: Hall, size: Size, mostScale: number, cover: Bounds | null): Camera {
  const inRoom = (room: Bounds) => fitInto(hall.bounds, room, size, mostScale)
  const all = { minX: 0, minY: 0, maxX: size.width, maxY: size.height }
  const plain = inRoom(all)
  if (!cover || !isBelow(cover, hall, plain, size)) return plain
  const isAtTop = cover.minY < size.height - cover.maxY
  // The margin of what is drawn beside it is kept once.
  const edge = MARGIN_PX / 2
  const upright = (isAtTop ? cover.maxY : size.height - cover.minY) - edge
  const sideways = cover.maxX - edge
  const rooms = SHARES.flatMap(share => [
    isAtTop ? { ...all, minY: share * upright } : { ...all, maxY: size.height - share * upright },
    { ...all, minX: share * sideways },
  ])
  const free = rooms.map(inRoom).filter(camera => !isBelow(cover, hall, camera, size))
  return free.reduce((best, camera) => (camera.scale > best.scale ? camera : best), free[0] ?? plain)
}

/** All of `bounds` in a part of the view. */
function fitInto(bounds: Bounds, part: Bounds, { width, height }: Size, mostScale: number): Camera {
  const { minX, minY, maxX, maxY } = part
  const fitted = fitBounds(bounds, { width: maxX - minX, height: maxY - minY }, MARGIN_PX)
  const scale = Math.min(fitted.scale, mostScale)
  return panBy({ ...fitted, scale }, (minX + maxX - width) / 2, (minY + maxY - height) / 2)
}

function isBelow(cover: Bounds, { zones, shapes }: Hall, camera: Camera, size: Size): boolean {
  const from = toWorld(camera, size, { x: cover.minX, y: cover.minY })
  const to = toWorld(camera, size, { x: cover.maxX, y: cover.maxY })
  const covered = { minX: from.x, minY: from.y, maxX: to.x, maxY: to.y }
  const isCovered = (polygon: readonly Point[]) =>
    polygon.length > 0 &&
    (polygon.some((point, at) => crosses(point, polygon[(at + 1) % polygon.length]!, covered)) ||
      isInside(from, polygon))
  return zones.some(({ outline }) => isCovered(outline)) || shapes.some(({ points }) => isCovered(points))
}

/** Whether a part of the way between two points is within `bounds`. */
function crosses(a: Point, b: Point, { minX, minY, maxX, maxY }: Bounds): boolean {
  let [from, to] = [0, 1]
  for (const [start, way, min, max] of [
    [a.x, b.x - a.x, minX, maxX],
    [a.y, b.y - a.y, minY, maxY],
  ] as const) {
    if (way === 0 && (start < min || start > max)) return false
    if (way === 0) continue
    const [first, last] = [(min - start) / way, (max - start) / way]
    from = Math.max(from, Math.min(first, last))
    to = Math.min(to, Math.max(first, last))
  }
  return from <= to
}
