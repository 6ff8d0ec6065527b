/** Sizes of a seat's shapes, as shares of the seat. */
export const CORNER = 0.36
export const SOLD_SIZE = 0.56
export const HELD_SIZE = 0.62
export const TINT = 0.15
export const DIMMED = 0.16
/** From the middle of a seat to the edge of the ribbon that seats lie on; half a seat is 1. */
export const RIBBON = 1.3

/** Half of a seat’s side, as a share of the distance to its neighbour: a side is 78 % of it. */
export const HALF_OF_PITCH = 0.39
/** A seat and its edge are within this many pitches around its place. */
export const SEAT_REACH = 0.62

/** A star reaches so far from its middle to a tip, and to the waist between two tips. */
export const STAR = 0.62
export const STAR_WAIST = 0.46

/** True for a place on the star. */
export function isOnStar(x: number, y: number): boolean {
  const reach = Math.hypot(x, y)
  if (reach > STAR) return false
  const fifth = (2 * Math.PI) / 5
  // From the tip that is nearest: between tip and waist its edge is a straight line.
  const angle = Math.abs((((Math.atan2(x, -y) % fifth) + 1.5 * fifth) % fifth) - fifth / 2)
  const waist = STAR * STAR_WAIST
  const [tipX, tipY] = [0, STAR]
  const [waistX, waistY] = [waist * Math.sin(fifth / 2), waist * Math.cos(fifth / 2)]
  const [px, py] = [reach * Math.sin(angle), reach * Math.cos(angle)]
  return (waistX - tipX) * (py - tipY) - (waistY - tipY) * (px - tipX) <= 0
}
