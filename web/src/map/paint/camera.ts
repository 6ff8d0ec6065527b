import type { Point } from '@voelgoed/core/layout/model'
import type { Bounds } from '../document/model.ts'

/** Where one looks: the middle of the view in the hall's units, and CSS pixels a unit. */
export interface Camera {
  readonly x: number
  readonly y: number
  readonly scale: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export interface CameraLimits {
  readonly minScale: number
  readonly maxScale: number
  readonly bounds: Bounds
}

export function toScreen(camera: Camera, size: Size, { x, y }: Point): Point {
  return {
    x: (x - camera.x) * camera.scale + size.width / 2,
    y: (y - camera.y) * camera.scale + size.height / 2,
  }
}

export function toWorld(camera: Camera, size: Size, { x, y }: Point): Point {
  return {
    x: (x - size.width / 2) / camera.scale + camera.x,
    y: (y - size.height / 2) / camera.scale + camera.y,
  }
}

/** Returns the part of the hall that is on the screen. */
export function viewOf(camera: Camera, size: Size): Bounds {
  const halfWidth = size.width / 2 / camera.scale
  const halfHeight = size.height / 2 / camera.scale
  return {
    minX: camera.x - halfWidth,
    minY: camera.y - halfHeight,
    maxX: camera.x + halfWidth,
    maxY: camera.y + halfHeight,
  }
}

/** The hall follows the finger. */
export function panBy(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale }
}

/** Zooms, and keeps the place under `at` where it is. */
export function zoomTo(camera: Camera, size: Size, at: Point, scale: number): Camera {
  const anchor = toWorld(camera, size, at)
  return {
    x: anchor.x - (at.x - size.width / 2) / scale,
    y: anchor.y - (at.y - size.height / 2) / scale,
    scale,
  }
}

/** The whole of it, with a margin in CSS pixels. */
export function fitBounds(bounds: Bounds, size: Size, margin: number): Camera {
  const width = Math.max(bounds.maxX - bounds.minX, Number.EPSILON)
  const height = Math.max(bounds.maxY - bounds.minY, Number.EPSILON)
  const scale = Math.min(
    Math.max(size.width - 2 * margin, 1) / width,
    Math.max(size.height - 2 * margin, 1) / height,
  )
  return { x: (bounds.minX + bounds.maxX) / 2, y: (bounds.minY + bounds.maxY) / 2, scale }
}

/** Not farther than the limits, and never so far aside that nothing of the hall is left in the middle. */
export function clampCamera(camera: Camera, { minScale, maxScale, bounds }: CameraLimits): Camera {
  return {
    x: clamp(camera.x, bounds.minX, bounds.maxX),
    y: clamp(camera.y, bounds.minY, bounds.maxY),
    scale: clamp(camera.scale, minScale, maxScale),
  }
}

/**
 * From one place to another, `progress` from 0 to 1. The scale changes evenly by factors, and the place so
 * that the point that both views share stays where it is: as if one zoomed in on it.
 */
export function between(from: Camera, to: Camera, progress: number): Camera {
  const scale = from.scale * (to.scale / from.scale) ** progress
  const growth = 1 / to.scale - 1 / from.scale
  const moved = Math.abs(growth) < 1e-9 / from.scale ? progress : (1 / scale - 1 / from.scale) / growth
  return { x: from.x + (to.x - from.x) * moved, y: from.y + (to.y - from.y) * moved, scale }
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
