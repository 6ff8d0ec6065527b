/** How much of a hall is drawn follows from how large a seat would be on the screen. */
export type Detail = 'zones' | 'dots' | 'seats'

const DOTS_FROM_PX = 3
const SEATS_FROM_PX = 13
const NUMBERS_FROM_PX = 18
const ROWS_FROM_PX = 30
/** A seat this large can be aimed at, with a mouse and with a finger. */
const AIM_FROM_PX = { mouse: 9, touch: 16 }
/** Where one lands when a tap was meant for a seat that was still too small. */
export const COMFORTABLE_PX = 32
export const LARGEST_PX = 64

/** `pitchPx`: CSS pixels from seat to seat. */
export function detailOf(pitchPx: number): Detail {
  if (pitchPx < DOTS_FROM_PX) return 'zones'
  return pitchPx < SEATS_FROM_PX ? 'dots' : 'seats'
}

export function showsNumbers(pitchPx: number): boolean {
  return pitchPx >= NUMBERS_FROM_PX
}

/** In each seat: from so near that the ends of a row may be off the screen. */
export function showsRows(pitchPx: number): boolean {
  return pitchPx >= ROWS_FROM_PX
}

export function canAim(pitchPx: number, pointerType: string): boolean {
  return pitchPx >= (pointerType === 'mouse' ? AIM_FROM_PX.mouse : AIM_FROM_PX.touch)
}
