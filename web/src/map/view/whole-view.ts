import type { Point } from '@voelgoed/core/layout/model'
import { isInside } from '../document/geometry.ts'
import type { Bounds, MapModel } from '../document/model.ts'
import { type Camera, fitBounds, panBy, type Size, toWorld } from '../paint/camera.ts'

type Hall = Pick<MapModel, 'bounds' | 'zones' | 'shapes'>

const MARGIN_PX = 16
/** The hall makes way by this much of what a cover takes: by less where its corners are empty. */
const SHARES = [0.25, 0.5, 0.75, 1]
/** A hall that is left less of the view than this makes no way: it would be too small to be of use. */
const LEAST_SHARE = 0.5

/**
 * The camera that has all of the hall in view, as large as can be, though not above `mostScale`. `covers` lie
 * over the map at its edges, as buttons and the choice of a floor do, and are given in CSS pixels of the
 * view: nothing of the hall is below them.
 */
export function wholeView(hall: Hall, size: Size, mostScale: number, covers: readonly Bounds[]): Camera {
  const { width, height } = size
  const all = { minX: 0, minY: 0, maxX: width, maxY: height }
  const rooms = covers
    .reduce((found, cover) => found.flatMap(room => roomsBeside(cover, room, size)), [all])
    .filter(
      ({ minX, minY, maxX, maxY }) =>
        maxX - minX >= LEAST_SHARE * width && maxY - minY >= LEAST_SHARE * height,
    )
  const cameras = rooms.map(room => fitInto(hall.bounds, room, size, mostScale))
  cameras.sort((a, b) => b.scale - a.scale)
  const isFree = (camera: Camera) => !covers.some(cover => isBelow(cover, hall, camera, size))
  return cameras.find(isFree) ?? fitInto(hall.bounds, all, size, mostScale)
}

/** Parts of a room: all of it first, and those that end before the cover, or in it. */
function roomsBeside(cover: Bounds, room: Bounds, { width, height }: Size): Bounds[] {
  // The margin of what is drawn beside it is kept once.
  const edge = MARGIN_PX / 2
  const isAtTop = cover.minY < height - cover.maxY
  const isAtLeft = cover.minX < width - cover.maxX
  const upright = (isAtTop ? cover.maxY : height - cover.minY) - edge
  const sideways = (isAtLeft ? cover.maxX : width - cover.minX) - edge
  const beside = SHARES.flatMap(share => [
    isAtTop
      ? { ...room, minY: Math.max(room.minY, share * upright) }
      : { ...room, maxY: Math.min(room.maxY, height - share * upright) },
    isAtLeft
      ? { ...room, minX: Math.max(room.minX, share * sideways) }
      : { ...room, maxX: Math.min(room.maxX, width - share * sideways) },
  ])
  return [room, ...beside]
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

/** Returns if a part of the way between two points is within `bounds`. */
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
