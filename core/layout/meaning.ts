import type { SeatGroup, Zone } from './model.ts'

/** Metadata is what people like; these words of it mean something to the search for seats. */

/** `rank`: of zones with a lower one, all seats are better. 0 unless it is said. */
export function rankOf({ metadata: { rank } }: Pick<Zone, 'metadata'>): number {
  return typeof rank === 'number' && Number.isFinite(rank) ? rank : 0
}

/** Says how the seats of a group are sold: all of them or none, or first of all to groups of their number. */
export type GroupSale = 'whole' | 'family'

/** `sell: "whole"`, or a block for families. Null: its seats are sold like all others. */
export function saleOf({ groupType, metadata }: Pick<SeatGroup, 'groupType' | 'metadata'>): GroupSale | null {
  if (metadata.sell === 'whole') return 'whole'
  return groupType === 'family_block' ? 'family' : null
}
