import type { Context } from './measure-name.ts'
import { STAR, STAR_WAIST } from './seat-shapes.ts'

/** Signs in a seat whose middle is 0 and whose edges are at −1 and 1, in the ink that the context has. */

export function drawWheelchair(context: Context): void {
  context.beginPath()
  context.arc(-0.12, -0.6, 0.14, 0, 2 * Math.PI)
  context.fill()
  context.lineWidth = 0.15
  context.beginPath()
  context.moveTo(-0.12, -0.34)
  context.lineTo(-0.12, 0.06)
  context.lineTo(0.28, 0.06)
  context.lineTo(0.44, 0.48)
  context.stroke()
  context.beginPath()
  context.arc(-0.08, 0.24, 0.36, -0.1 * Math.PI, 1.25 * Math.PI)
  context.stroke()
}

/** A person, and a plus. */
export function drawCompanion(context: Context): void {
  context.lineWidth = 0.15
  context.beginPath()
  context.arc(-0.16, -0.26, 0.22, 0, 2 * Math.PI)
  context.stroke()
  context.beginPath()
  context.moveTo(-0.56, 0.5)
  context.bezierCurveTo(-0.56, 0, 0.24, 0, 0.24, 0.5)
  context.stroke()
  context.beginPath()
  context.moveTo(0.44, -0.32)
  context.lineTo(0.44, 0.12)
  context.moveTo(0.22, -0.1)
  context.lineTo(0.66, -0.1)
  context.stroke()
}

export function drawStar(context: Context): void {
  context.beginPath()
  for (let point = 0; point < 10; point += 1) {
    const angle = (point * Math.PI) / 5 - Math.PI / 2
    const reach = point % 2 === 0 ? STAR : STAR * STAR_WAIST
    context.lineTo(reach * Math.cos(angle), reach * Math.sin(angle))
  }
  context.closePath()
  context.fill()
}
