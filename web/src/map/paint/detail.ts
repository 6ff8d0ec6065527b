/** The map draws as much of a hall as fits the size that a seat would have on the screen. */
export type Detail = 'zones' | 'dots' | 'seats'

/** Dots begin later in a large hall than in a small one: 20,000 dots say less than their sections do. */
const DOTS_FROM_PX = { small: 3, large: 6 }
const LARGE_FROM_SEATS = 5_000
const SEATS_FROM_PX = 13
const NUMBERS_FROM_PX = 22
const LETTERS_FROM_PX = 18
/** A seat this large can be aimed at, with a mouse and with a finger. */
const AIM_FROM_PX = { mouse: 9, touch: 16 }
/** A tap that was meant for a seat that was still too small lands at this size. */
export const COMFORTABLE_PX = 32
export const LARGEST_PX = 64

/** `pitchPx`: CSS pixels from seat to seat. `seatCount`: of the hall. */
export function detailOf(pitchPx: number, seatCount: number): Detail {
  if (pitchPx < (seatCount < LARGE_FROM_SEATS ? DOTS_FROM_PX.small : DOTS_FROM_PX.large)) return 'zones'
  return pitchPx < SEATS_FROM_PX ? 'dots' : 'seats'
}

export function showsNumbers(pitchPx: number): boolean {
  return pitchPx >= NUMBERS_FROM_PX
}

/** Beside the ends of rows. */
export function showsRowLetters(pitchPx: number): boolean {
  return pitchPx >= LETTERS_FROM_PX
}

export function canAim(pitchPx: number, pointerType: string): boolean {
  return pitchPx >= (pointerType === 'mouse' ? AIM_FROM_PX.mouse : AIM_FROM_PX.touch)
}
