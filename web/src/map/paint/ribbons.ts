import { EDGE_BEHIND, type Scene } from './scene.ts'

/** Seats in groups that are side by side: neighbours of a row without an aisle between them. */
export function ribbonsOf({ rowEdges }: Pick<Scene, 'rowEdges'>, seats: ReadonlySet<number>): number[][] {
  const ribbons: number[][] = []
  for (const ordinal of [...seats].sort((a, b) => a - b)) {
    const last = ribbons.at(-1)
    const before = last?.at(-1)
    const isBeside = before === ordinal - 1 && !(rowEdges[before]! & EDGE_BEHIND)
    if (last && isBeside) last.push(ordinal)
    else ribbons.push([ordinal])
  }
  return ribbons
}
