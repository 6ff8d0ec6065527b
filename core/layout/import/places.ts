import type { LayoutFault, Point } from '../model.ts'
import type { ImportReport } from './report.ts'

/** Describes where something of a document is in the layout that was made of it. */
export type ImportPlace =
  | { readonly zoneIndex: number; readonly seatIndex: number | null }
  /** It was left out, and would have been here. */
  | { readonly point: Point }

/** A zone, by its places in the document. */
interface ReadZone {
  readonly at: { readonly path: string }
  readonly seatsAt: readonly { readonly path: string }[]
}

/** Finds what a warning is about: the seat, the zone around it, or the place of what was left out. */
export class ImportPlaces {
  readonly #zones: readonly ReadZone[]
  readonly #report: ImportReport
  #byPath: Map<string, ImportPlace> | null = null

  constructor(zones: readonly ReadZone[], report: ImportReport) {
    this.#zones = zones
    this.#report = report
  }

  of(warning: LayoutFault): ImportPlace | null {
    this.#byPath ??= this.#index()
    const byPath = this.#byPath
    let path = this.#report.firstPathOf(warning)
    for (;;) {
      const place = byPath.get(path)
      if (place) return place
      if (path === '') return null
      path = path.slice(0, path.lastIndexOf('/'))
    }
  }

  /** Built for the first warning: most documents have none. */
  #index(): Map<string, ImportPlace> {
    const byPath = new Map<string, ImportPlace>()
    for (const [zoneIndex, zone] of this.#zones.entries()) {
      if (!byPath.has(zone.at.path)) byPath.set(zone.at.path, { zoneIndex, seatIndex: null })
      for (const [seatIndex, seat] of zone.seatsAt.entries()) byPath.set(seat.path, { zoneIndex, seatIndex })
    }
    for (const [path, point] of this.#report.leftOut) byPath.set(path, { point })
    return byPath
  }
}
