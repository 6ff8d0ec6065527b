import { between, type Camera } from '../paint/camera.ts'

const JOURNEY_MS = 320
/** A thrown hall loses two thirds of its speed in this time. */
const GLIDE_MS = 325
const SLOWEST_PX_PER_MS = 0.02

/**
 * The camera moves like this by itself: to a place that was asked for, or on after it was thrown. Pure: time
 * is given.
 */
export type Motion =
  | { readonly kind: 'journey'; readonly from: Camera; readonly to: Camera; readonly startedAt: number }
  | {
      readonly kind: 'glide'
      readonly from: Camera
      readonly vx: number
      readonly vy: number
      readonly startedAt: number
    }

/** `vx`, `vy`: CSS pixels a millisecond, the way the hall moves. */
export function glide(from: Camera, vx: number, vy: number, startedAt: number): Motion | null {
  return Math.hypot(vx, vy) < 10 * SLOWEST_PX_PER_MS ? null : { kind: 'glide', from, vx, vy, startedAt }
}

/** Returns where the camera is now; `isOver` when it will not move any more. */
export function cameraAt(motion: Motion, now: number): { camera: Camera; isOver: boolean } {
  const elapsed = Math.max(0, now - motion.startedAt)
  if (motion.kind === 'journey') {
    const progress = Math.min(1, elapsed / JOURNEY_MS)
    if (progress === 1) return { camera: motion.to, isOver: true }
    return { camera: between(motion.from, motion.to, ease(progress)), isOver: false }
  }
  const { from, vx, vy } = motion
  const left = Math.exp(-elapsed / GLIDE_MS)
  const way = GLIDE_MS * (1 - left)
  return {
    camera: { ...from, x: from.x - (vx * way) / from.scale, y: from.y - (vy * way) / from.scale },
    isOver: Math.hypot(vx, vy) * left < SLOWEST_PX_PER_MS,
  }
}

function ease(progress: number): number {
  return 1 - (1 - progress) ** 3
}
