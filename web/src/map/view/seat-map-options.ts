import type { Camera } from '../paint/camera.ts'
import type { Detail } from '../paint/detail.ts'
import type { MapWords } from '../paint/scene.ts'
import type { MapTheme } from '../paint/theme.ts'
import type { Stop } from './neighbour.ts'

/** A seat was chosen with this. */
export type Means = 'mouse' | 'touch' | 'keys'

/** Middle of the view in the hall's units, CSS pixels a unit, and what is drawn at that scale. */
export interface View extends Camera {
  readonly detail: Detail
}

export interface SeatMapOptions {
  readonly theme: MapTheme
  readonly words: MapWords
  readonly reducedMotion: boolean
  /**
   * A seat was chosen. Where seats are too small to aim at, the map comes nearer instead; before the first
   * snapshot no seat can be chosen.
   */
  onSeat(ordinal: number, by: Means): void
  /** A zone was chosen. The map comes nearer by itself if the zone has seats. */
  onZone(zoneIndex: number): void
  /** The mouse is over a seat now, or over none. */
  onHover?(ordinal: number | null): void
  /** The keyboard is at a seat or at a zone without seats now; null: at none. */
  onStop?(stop: Stop | null): void
  /** A finger or a mouse was pressed where there is no seat. */
  onGround?(): void
  onView?(view: View): void
}
