import { type Camera, fitBounds, type Size, toScreen, toWorld, viewOf } from '../paint/camera.ts'
import { detailOf } from '../paint/detail.ts'
import { zoneFill } from '../paint/paint-zones.ts'
import type { Scene } from '../paint/scene.ts'
import { mix } from '../paint/theme.ts'

/** Its longer side has this length; less if there is little room. */
const LARGEST_PX = { wide: 132, narrow: 92 }
export const NARROW_UNTIL_PX = 560
const DOT_PX = 5
/** On a map that is lower than this it would hide too much. */
const LOWEST_PX = 300

/** The whole hall in a corner, with a frame around what is in view. Dragging on it moves the view. */
export class Minimap {
  readonly canvas = document.createElement('canvas')
  readonly #scene: Scene
  readonly #size: Size
  readonly #whole: Camera
  #ground: HTMLCanvasElement | null = null
  readonly #stop = new AbortController()

  constructor(scene: Scene, containerWidth: number, moveTo: (place: { x: number; y: number }) => void) {
    this.#scene = scene
    const largest = containerWidth < NARROW_UNTIL_PX ? LARGEST_PX.narrow : LARGEST_PX.wide
    const { minX, minY, maxX, maxY } = scene.model.bounds
    const longer = Math.max(maxX - minX, maxY - minY, Number.EPSILON)
    this.#size = {
      width: Math.max(40, Math.round((largest * (maxX - minX)) / longer)),
      height: Math.max(40, Math.round((largest * (maxY - minY)) / longer)),
    }
    this.#whole = fitBounds(scene.model.bounds, this.#size, 5)
    this.canvas.className = 'seat-map-minimap'
    this.canvas.style.width = `${this.#size.width}px`
    this.canvas.style.height = `${this.#size.height}px`
    this.canvas.hidden = true
    const move = (event: PointerEvent) => {
      if (event.buttons === 0) return
      const { left, top } = this.canvas.getBoundingClientRect()
      moveTo(toWorld(this.#whole, this.#size, { x: event.clientX - left, y: event.clientY - top }))
    }
    const { signal } = this.#stop
    this.canvas.addEventListener(
      'pointerdown',
      event => {
        this.canvas.setPointerCapture(event.pointerId)
        move(event)
      },
      { signal },
    )
    this.canvas.addEventListener('pointermove', move, { signal })
  }

  /** Its picture is out of date. */
  invalidate(): void {
    this.#ground = null
  }

  draw(camera: Camera, size: Size, ratio: number, isNeeded: boolean): void {
    const isShown = isNeeded && size.height >= LOWEST_PX
    this.canvas.hidden = !isShown
    if (!isShown) return
    const width = Math.round(this.#size.width * ratio)
    const height = Math.round(this.#size.height * ratio)
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width
      this.canvas.height = height
      this.#ground = null
    }
    this.#ground ??= this.#paintGround(width, height, ratio)
    const context = this.canvas.getContext('2d')!
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(this.#ground, 0, 0)
    const view = viewOf(camera, size)
    const from = toScreen(this.#whole, this.#size, { x: view.minX, y: view.minY })
    const to = toScreen(this.#whole, this.#size, { x: view.maxX, y: view.maxY })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.strokeStyle = this.#scene.theme.focus
    context.lineWidth = 2
    const inside = (value: number, most: number) => Math.min(Math.max(value, 1.5), most - 1.5)
    const left = inside(from.x, this.#size.width)
    const top = inside(from.y, this.#size.height)
    const right = inside(to.x, this.#size.width)
    const bottom = inside(to.y, this.#size.height)
    context.strokeRect(left, top, Math.max(3, right - left), Math.max(3, bottom - top))
  }

  destroy(): void {
    this.#stop.abort()
  }

  #paintGround(width: number, height: number, ratio: number): HTMLCanvasElement {
    const { theme, model, zones, shapes } = this.#scene
    const ground = document.createElement('canvas')
    ground.width = width
    ground.height = height
    const context = ground.getContext('2d', { alpha: false })!
    context.fillStyle = theme.background
    context.fillRect(0, 0, width, height)
    const scale = this.#whole.scale * ratio
    context.setTransform(
      scale,
      0,
      0,
      scale,
      width / 2 - this.#whole.x * scale,
      height / 2 - this.#whole.y * scale,
    )
    for (const [index, shape] of model.shapes.entries()) {
      if (shape.kind !== 'stage') continue
      context.fillStyle = theme.stage
      context.fill(shapes[index]!.path)
    }
    // A small hall shows the colours of the large picture, a large one how full its sections are.
    const isSmall = detailOf(DOT_PX, model.seatCount) !== 'zones'
    for (const [index, figure] of zones.entries()) {
      context.fillStyle = isSmall
        ? mix(this.#scene.zoneColor(index), theme.zone, 0.75)
        : zoneFill(this.#scene, index)
      context.fill(figure.path)
    }
    return ground
  }
}
