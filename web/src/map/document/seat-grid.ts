import type { Bounds, MapModel } from './model.ts'
import { NO_ZONE } from './model.ts'

const PITCHES_PER_CELL = 6

/** Seats by where they are: cells of equal size, and the seats of one cell side by side in one array. */
export class SeatGrid {
  readonly #model: Pick<MapModel, 'x' | 'y'>
  readonly #minX: number
  readonly #minY: number
  readonly #cell: number
  readonly #columns: number
  readonly #rows: number
  /** Seats of cell c: `#seats[#starts[c]] … #seats[#starts[c + 1] − 1]`. */
  readonly #starts: Uint32Array
  readonly #seats: Uint32Array

  constructor(model: Pick<MapModel, 'x' | 'y' | 'zoneOf' | 'seatCount' | 'pitch'>) {
    this.#model = model
    const { x, y, zoneOf, seatCount } = model
    const ordinals = new Uint32Array(seatCount)
    let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let ordinal = 0, count = 0; ordinal < zoneOf.length; ordinal += 1) {
      if (zoneOf[ordinal] === NO_ZONE) continue
      ordinals[count++] = ordinal
      const seatX = x[ordinal]!
      const seatY = y[ordinal]!
      if (seatX < minX) minX = seatX
      if (seatX > maxX) maxX = seatX
      if (seatY < minY) minY = seatY
      if (seatY > maxY) maxY = seatY
    }
    const [width, height] = seatCount === 0 ? [0, 0] : [maxX - minX, maxY - minY]
    // A hall with one seat on the moon must not have as many cells as there are metres to it.
    const most = Math.max(1_024, 2 * seatCount)
    this.#cell = Math.max(
      PITCHES_PER_CELL * model.pitch,
      Math.sqrt((width * height) / most),
      (width + height) / most,
    )
    this.#minX = seatCount === 0 ? 0 : minX
    this.#minY = seatCount === 0 ? 0 : minY
    this.#columns = Math.floor(width / this.#cell) + 1
    this.#rows = Math.floor(height / this.#cell) + 1

    this.#starts = new Uint32Array(this.#columns * this.#rows + 1)
    for (const ordinal of ordinals) this.#starts[this.#cellOf(ordinal) + 1]! += 1
    for (let cell = 1; cell < this.#starts.length; cell += 1) this.#starts[cell]! += this.#starts[cell - 1]!
    const next = this.#starts.slice()
    this.#seats = new Uint32Array(seatCount)
    for (const ordinal of ordinals) this.#seats[next[this.#cellOf(ordinal)]!++] = ordinal
  }

  /** Every seat whose place is in the bounds, in no order. */
  forEachIn(bounds: Bounds, visit: (ordinal: number) => void): void {
    this.#someIn(bounds, ordinal => {
      visit(ordinal)
      return false
    })
  }

  /** Every seat whose place is in one or more of them, once. */
  forEachInAny(all: readonly Bounds[], visit: (ordinal: number) => void): void {
    const found = new Set<number>()
    for (const bounds of all) {
      this.forEachIn(bounds, ordinal => {
        if (found.has(ordinal)) return
        // A single part meets no seat twice.
        if (all.length > 1) found.add(ordinal)
        visit(ordinal)
      })
    }
  }

  /** No seat's place is in the bounds. */
  isEmptyIn(bounds: Bounds): boolean {
    return !this.#someIn(bounds, () => true)
  }

  /** The seat nearest to a place, if one is as near as `within`. */
  nearest(placeX: number, placeY: number, within: number): number | null {
    const { x, y } = this.#model
    let found: number | null = null
    let best = within
    const around = {
      minX: placeX - within,
      minY: placeY - within,
      maxX: placeX + within,
      maxY: placeY + within,
    }
    this.forEachIn(around, ordinal => {
      const distance = Math.hypot(x[ordinal]! - placeX, y[ordinal]! - placeY)
      if (distance > best || (distance === best && found !== null)) return
      best = distance
      found = ordinal
    })
    return found
  }

  /** True if one of the seats in the bounds is the one that is looked for. No seat after it is visited. */
  #someIn({ minX, minY, maxX, maxY }: Bounds, isIt: (ordinal: number) => boolean): boolean {
    const { x, y } = this.#model
    const left = Math.max(0, Math.floor((minX - this.#minX) / this.#cell))
    const right = Math.min(this.#columns - 1, Math.floor((maxX - this.#minX) / this.#cell))
    const top = Math.max(0, Math.floor((minY - this.#minY) / this.#cell))
    const bottom = Math.min(this.#rows - 1, Math.floor((maxY - this.#minY) / this.#cell))
    for (let row = top; row <= bottom; row += 1) {
      for (let column = left; column <= right; column += 1) {
        const cell = row * this.#columns + column
        for (let at = this.#starts[cell]!; at < this.#starts[cell + 1]!; at += 1) {
          const ordinal = this.#seats[at]!
          const seatX = x[ordinal]!
          const seatY = y[ordinal]!
          const isInside = seatX >= minX && seatX <= maxX && seatY >= minY && seatY <= maxY
          if (isInside && isIt(ordinal)) return true
        }
      }
    }
    return false
  }

  #cellOf(ordinal: number): number {
    const column = Math.floor((this.#model.x[ordinal]! - this.#minX) / this.#cell)
    const row = Math.floor((this.#model.y[ordinal]! - this.#minY) / this.#cell)
    return row * this.#columns + column
  }
}
