import { describe, expect, it } from 'vitest'
import { evictTiles, rectOf, TILE_PX, TileSet, takeDirty, tilesIn } from './tiles.ts'

const hall = { minX: 0, minY: 0, maxX: 1_000, maxY: 1_000 }

/** Four tiles, painted, at two pixels a unit: a tile is half of TILE_PX units wide. */
function paintedSet(): TileSet<string> {
  const set = new TileSet<string>(2, hall)
  for (const [column, row] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const) {
    const tile = set.add(column, row, `${column} ${row}`)
    tile.dirty = []
    tile.isShown = true
  }
  return set
}

const dirtyTiles = (set: TileSet<string>) =>
  [...set.tiles].filter(tile => tile.dirty === 'all' || tile.dirty.length > 0).map(tile => tile.surface)

function place(x: number, y: number) {
  return { minX: x - 3, minY: y - 3, maxX: x + 3, maxY: y + 3 }
}

describe('tiles', () => {
  it('of a view are those that it touches', () => {
    const view = { left: TILE_PX - 1, top: 10, right: TILE_PX + 1, bottom: TILE_PX }
    expect([...tilesIn(view)]).toEqual([
      { column: 0, row: 0 },
      { column: 1, row: 0 },
    ])
  })

  it('have the places that the hall has', () => {
    const set = new TileSet<string>(2, { minX: -50, minY: 30, maxX: 100, maxY: 100 })
    const bounds = { minX: 0, minY: 40, maxX: 10, maxY: 50 }
    expect(set.toPixels(bounds)).toEqual({ left: 100, top: 20, right: 120, bottom: 40 })
    expect(set.toUnits(set.toPixels(bounds))).toEqual(bounds)
  })
})

describe('a seat that changed', () => {
  it('makes only its own place dirty', () => {
    const set = paintedSet()
    set.invalidate(place(100, 100))
    expect(dirtyTiles(set)).toEqual(['0 0'])
    expect(set.find(0, 0)!.dirty).toEqual([{ left: 193, top: 193, right: 207, bottom: 207 }])
  })

  it('on the edge of tiles makes each of them dirty up to its edge', () => {
    const set = paintedSet()
    set.invalidate(place(TILE_PX / 2, TILE_PX / 2))
    expect(dirtyTiles(set)).toHaveLength(4)
    for (const tile of set.tiles) {
      const [rect] = tile.dirty as { left: number; right: number }[]
      const own = rectOf(tile)
      expect(rect!.left).toBeGreaterThanOrEqual(own.left)
      expect(rect!.right).toBeLessThanOrEqual(own.right)
    }
  })

  it('beside all tiles that there are changes nothing', () => {
    const set = paintedSet()
    set.invalidate(place(5_000, 5_000))
    expect(dirtyTiles(set)).toEqual([])
  })

  it('with many others makes its tile dirty as a whole, however many there are', () => {
    const set = paintedSet()
    for (let count = 0; count < 1_000; count += 1) set.invalidate(place(20 + (count % 200), 50))
    expect(set.find(0, 0)!.dirty).toBe('all')
    expect(dirtyTiles(set)).toEqual(['0 0'])
  })
})

describe('what has to be painted of a tile', () => {
  it('are the places that changed, and then nothing', () => {
    const set = paintedSet()
    const tile = set.find(0, 0)!
    for (const x of [50, 100]) set.invalidate(place(x, 100))
    expect(takeDirty(tile).map(({ left }) => left)).toEqual([93, 193])
    expect(takeDirty(tile)).toEqual([])
  })

  it('is all of it where most of it changed', () => {
    const set = paintedSet()
    const tile = set.find(0, 0)!
    for (const count of [1, 2, 3]) set.invalidate({ minX: 0, minY: 0, maxX: 60 * count, maxY: 250 })
    expect(takeDirty(tile)).toEqual([rectOf(tile)])
    expect(tile.dirty).toEqual([])
  })
})

describe('tiles that are in memory', () => {
  it('are let go when there are too many, the longest unused first, and never those in use', () => {
    const set = paintedSet()
    for (const [index, tile] of [...set.tiles].entries()) tile.usedAt = index
    set.find(0, 0)!.usedAt = 9
    expect(evictTiles([set], 2, 9)).toEqual(['1 0', '0 1'])
    expect(set.size).toBe(2)
    for (const tile of set.tiles) tile.usedAt = 10
    expect(evictTiles([set], 0, 10)).toEqual([])
  })
})
