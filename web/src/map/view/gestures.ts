import type { Point } from '@voelgoed/core/layout/model'

/** Places are CSS pixels in the element. */
export interface GestureHandlers {
  begin(): void
  pan(dx: number, dy: number): void
  /** Two fingers or the wheel. */
  zoom(at: Point, factor: number): void
  fling(vx: number, vy: number): void
  tap(at: Point, pointerType: string): void
  doubleTap(at: Point, pointerType: string): void
  hover(at: Point | null): void
}

const TAP_WITHIN_PX = 8
const TAP_WITHIN_MS = 500
const DOUBLE_WITHIN_MS = 300
const DOUBLE_WITHIN_PX = 30
/** The last moves before a finger was lifted, in this time, tell how fast it was. */
const FLING_OVER_MS = 80

interface Finger {
  at: Point
  readonly from: Point
  readonly since: number
  hasMoved: boolean
}

/** Turns what pointers and wheels do into what is meant. Returns how to stop listening. */
export function listenToGestures(element: HTMLElement, handlers: GestureHandlers): () => void {
  const fingers = new Map<number, Finger>()
  let trail: { at: Point; time: number }[] = []
  let lastTap: { at: Point; time: number } | null = null
  const stop = new AbortController()
  const on = <Name extends keyof HTMLElementEventMap>(
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
    options: AddEventListenerOptions = {},
  ) => element.addEventListener(name, listener, { signal: stop.signal, ...options })

  const placeOf = (event: MouseEvent): Point => {
    const { left, top } = element.getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top }
  }

  on('pointerdown', event => {
    if (event.button !== 0) return
    element.setPointerCapture(event.pointerId)
    const at = placeOf(event)
    // The second finger makes it a pinch: none of the two is a tap any more.
    for (const finger of fingers.values()) finger.hasMoved = true
    fingers.set(event.pointerId, { at, from: at, since: event.timeStamp, hasMoved: fingers.size > 0 })
    trail = [{ at, time: event.timeStamp }]
    handlers.begin()
    handlers.hover(null)
  })

  on('pointermove', event => {
    const finger = fingers.get(event.pointerId)
    const at = placeOf(event)
    if (!finger) {
      if (event.pointerType === 'mouse') handlers.hover(at)
      return
    }
    const other = [...fingers.values()].find(candidate => candidate !== finger)
    if (other) pinch(finger.at, at, other.at)
    else if (finger.hasMoved || distance(at, finger.from) > TAP_WITHIN_PX) {
      const before = finger.hasMoved ? finger.at : finger.from
      finger.hasMoved = true
      handlers.pan(at.x - before.x, at.y - before.y)
    }
    finger.at = at
    trail = [
      ...trail.filter(({ time }) => time >= event.timeStamp - FLING_OVER_MS),
      { at, time: event.timeStamp },
    ]
  })

  function pinch(before: Point, after: Point, other: Point): void {
    const factor = distance(after, other) / Math.max(1, distance(before, other))
    const middle = { x: (after.x + other.x) / 2, y: (after.y + other.y) / 2 }
    handlers.pan((after.x - before.x) / 2, (after.y - before.y) / 2)
    handlers.zoom(middle, factor)
  }

  on('pointerup', event => {
    const finger = fingers.get(event.pointerId)
    if (!finger) return
    fingers.delete(event.pointerId)
    if (!finger.hasMoved && event.timeStamp - finger.since < TAP_WITHIN_MS) tap(finger.at, event)
    else if (fingers.size === 0) fling(event.timeStamp)
  })
  on('pointercancel', event => fingers.delete(event.pointerId))
  on('pointerleave', () => handlers.hover(null))

  function tap(at: Point, event: PointerEvent): void {
    const isSecond =
      lastTap !== null &&
      event.timeStamp - lastTap.time < DOUBLE_WITHIN_MS &&
      distance(at, lastTap.at) < DOUBLE_WITHIN_PX
    lastTap = isSecond ? null : { at, time: event.timeStamp }
    if (isSecond) handlers.doubleTap(at, event.pointerType)
    else handlers.tap(at, event.pointerType)
  }

  function fling(now: number): void {
    const first = trail.find(({ time }) => time >= now - FLING_OVER_MS)
    const last = trail.at(-1)
    if (!first || !last || last.time === first.time) return
    const elapsed = now - first.time
    handlers.fling((last.at.x - first.at.x) / elapsed, (last.at.y - first.at.y) / elapsed)
  }

  on(
    'wheel',
    event => {
      event.preventDefault()
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
      // A pinch on a touchpad comes as a wheel with ctrl, in small steps.
      const speed = event.ctrlKey ? 0.01 : 0.0018
      handlers.zoom(placeOf(event), Math.exp(-clampDelta(event.deltaY * lines) * speed))
    },
    { passive: false },
  )
  return () => stop.abort()
}

function clampDelta(delta: number): number {
  return Math.min(Math.max(delta, -240), 240)
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}
