import type { Body } from '@voelgoed/client'
import { clockTime, momentOf } from '../kit/zone-time.ts'
import type { AdminEvent } from './event-desk.svelte.ts'

const FIELDS = [
  'name',
  'description',
  'venueId',
  'layoutId',
  'version',
  'starts',
  'doors',
  'saleStart',
  'saleEnd',
] as const
export type DraftField = (typeof FIELDS)[number]
type Texts = Record<DraftField, string>

const EMPTY: Texts = {
  name: '',
  description: '',
  venueId: '',
  layoutId: '',
  version: '',
  starts: '',
  doors: '',
  saleStart: '',
  saleEnd: '',
}

/** An event as it stands in its form; times as the clocks of its venue show them. */
export class EventDraft {
  readonly before: Texts
  readonly texts: Texts = $state({ ...EMPTY })
  /** Sales close when the last of its days begins, unless the form says when. */
  readonly hasDays: boolean

  constructor(event: AdminEvent | null) {
    this.hasDays = (event?.days.length ?? 0) > 1
    this.before = event
      ? {
          name: event.name,
          description: event.description ?? '',
          venueId: event.venue.id,
          layoutId: event.layout.id,
          version: String(event.layout.version),
          starts: clockTime(event.starts_at, event.time_zone),
          doors: clockTime(event.doors_at, event.time_zone),
          saleStart: clockTime(event.sale_start, event.time_zone),
          saleEnd: clockTime(event.sale_end, event.time_zone),
        }
      : { ...EMPTY }
    this.discard()
  }

  get changed(): readonly DraftField[] {
    return FIELDS.filter(field => this.texts[field] !== this.before[field])
  }

  get isNamed(): boolean {
    return this.texts.name.trim() !== ''
  }

  /** The doors open after the event has begun. */
  get opensLate(): boolean {
    const { starts, doors } = this.texts
    return starts !== '' && doors !== '' && doors > starts
  }

  /** Sales end before they begin. */
  get isBackwards(): boolean {
    const { saleStart, saleEnd, starts } = this.texts
    const end = saleEnd === '' && !this.hasDays ? starts : saleEnd
    return saleStart !== '' && end !== '' && end <= saleStart
  }

  /** Sales go on after the event has begun, which is allowed and seldom meant. */
  get sellsAfterStart(): boolean {
    const { starts, saleEnd } = this.texts
    return starts !== '' && saleEnd !== '' && saleEnd > starts
  }

  get isSound(): boolean {
    const isPlaced = this.texts.layoutId !== '' && this.texts.version !== ''
    return this.isNamed && isPlaced && !this.isBackwards && !this.opensLate
  }

  discard(): void {
    Object.assign(this.texts, this.before)
  }

  toCreate(timeZone: string): Body<'POST /api/admin/events'> {
    const { name, venueId, layoutId, version } = this.texts
    return {
      name: name.trim(),
      venue_id: venueId,
      layout_id: layoutId,
      layout_version: Number(version),
      description: this.#description,
      ...this.#times(timeZone),
    }
  }

  /** Returns what has changed, and no more: a colleague may change the rest meanwhile. */
  toPatch(timeZone: string): Body<'PATCH /api/admin/events/:event'> {
    const { name, venueId, layoutId, version } = this.texts
    const is = (field: DraftField) => this.changed.includes(field)
    const times = this.#times(timeZone)
    const isMoved = is('venueId') || is('layoutId') || is('version')
    return {
      ...(is('name') && { name: name.trim() }),
      ...(is('description') && { description: this.#description }),
      ...(isMoved && { venue_id: venueId, layout_id: layoutId, layout_version: Number(version) }),
      // A venue of another zone: what was typed is meant by its clocks.
      ...((is('starts') || is('venueId')) && { starts_at: times.starts_at }),
      ...((is('doors') || is('venueId')) && { doors_at: times.doors_at }),
      ...((is('saleStart') || is('venueId')) && { sale_start: times.sale_start }),
      ...((is('saleEnd') || is('venueId')) && { sale_end: times.sale_end }),
    }
  }

  get #description(): string | null {
    return this.texts.description.trim() || null
  }

  #times(timeZone: string) {
    return {
      starts_at: momentOf(this.texts.starts, timeZone),
      doors_at: momentOf(this.texts.doors, timeZone),
      sale_start: momentOf(this.texts.saleStart, timeZone),
      sale_end: momentOf(this.texts.saleEnd, timeZone),
    }
  }
}
