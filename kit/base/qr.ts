import { correction, generate } from 'lean-qr'

/** Light modules around a code: readers need four. */
const QUIET = 4

/** A run of dark modules in one row. */
interface QrRun {
  readonly x: number
  readonly y: number
  readonly length: number
}

export interface QrCode {
  /** Modules a side, without the light border. */
  readonly size: number
  readonly runs: readonly QrRun[]
}

/** Readable with 15 % of it damaged: creased paper, a scratched screen. */
export function qrCode(text: string): QrCode {
  const code = generate(text, { minCorrectionLevel: correction.M })
  const runs: QrRun[] = []
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      if (!code.get(x, y)) continue
      const from = x
      while (code.get(x + 1, y)) x += 1
      runs.push({ x: from, y, length: x + 1 - from })
    }
  }
  return { size: code.size, runs }
}

/** Black on white, also where the page is dark. */
export function qrSvg(text: string): string {
  const { size, runs } = qrCode(text)
  const side = size + 2 * QUIET
  const path = runs.map(({ x, y, length }) => `M${x + QUIET} ${y + QUIET}h${length}v1h-${length}z`).join('')
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${path}"/></svg>\n`
  )
}
