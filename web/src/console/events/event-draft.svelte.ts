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
  'ends',
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
  ends: '',
  doors: '',
  saleStart: '',
  saleEnd: '',
}

/** An event as it stands in its form; times as the clocks of its venue show them. */
export class EventDraft {
  readonly before: Texts
  readonly texts: Texts = $state({ ...EMPTY })
  /** Someone wanted to save it: fields that are still empty are marked from then on. */
  isTried = $state(false)
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
          ends: clockTime(event.ends_at, event.time_zone),
          doors: clockTime(event.doors_at, event.time_zone),
          saleStart: clockTime(event.sale_start, event.time_zone),
          // Without an end of their own, sales close with the start: the form says so where it is one moment.
          saleEnd: clockTime(event.sale_end ?? (this.hasDays ? null : event.starts_at), event.time_zone),
        }
      : { ...EMPTY }
    this.discard()
  }

  get changed(): readonly DraftField[] {
    return FIELDS.filter(field => this.#said(this.texts, field) !== this.#said(this.before, field))
  }

  get isNamed(): boolean {
    return this.texts.name.trim() !== ''
  }

  /** An event that moves keeps its length; sales that close with the start go on doing so. */
  setStart(starts: string): void {
    const { texts } = this
    const old = texts.starts
    if (old !== '' && starts !== '' && texts.ends !== '') texts.ends = movedBy(texts.ends, old, starts)
    if (!this.hasDays && (texts.saleEnd === '' || texts.saleEnd === old)) texts.saleEnd = starts
    texts.starts = starts
  }

  /** It is over before it has begun. */
  get endsEarly(): boolean {
    const { starts, ends } = this.texts
    return starts !== '' && ends !== '' && ends <= starts
  }

  /** Sales close with the start, by themselves. */
  get closesAtStart(): boolean {
    const { starts, saleEnd } = this.texts
    return !this.hasDays && starts !== '' && saleEnd === starts
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
    return this.isNamed && isPlaced && !this.isBackwards && !this.opensLate && !this.endsEarly
  }

  discard(): void {
    this.isTried = false
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
      ...((is('ends') || is('venueId')) && { ends_at: times.ends_at }),
      ...((is('doors') || is('venueId')) && { doors_at: times.doors_at }),
      ...((is('saleStart') || is('venueId')) && { sale_start: times.sale_start }),
      ...((is('saleEnd') || is('venueId') || (is('starts') && this.closesAtStart)) && {
        sale_end: times.sale_end,
      }),
    }
  }

  /** The same hour as the start is no end of its own: sales follow the start, and the last of its days. */
  #said(texts: Texts, field: DraftField): string {
    return field === 'saleEnd' && !this.hasDays && texts.saleEnd === texts.starts ? '' : texts[field]
  }

  get #description(): string | null {
    return this.texts.description.trim() || null
  }

  #times(timeZone: string) {
    return {
      starts_at: momentOf(this.texts.starts, timeZone),
      ends_at: momentOf(this.texts.ends, timeZone),
      doors_at: momentOf(this.texts.doors, timeZone),
      sale_start: momentOf(this.texts.saleStart, timeZone),
      sale_end: momentOf(this.#said(this.texts, 'saleEnd'), timeZone),
    }
  }
}

/** The time on a clock, as much later as `to` is than `from`. */
function movedBy(time: string, from: string, to: string): string {
  const at = (clock: string) => Date.parse(`${clock.slice(0, 16)}Z`)
  const moved = at(time) + at(to) - at(from)
  return Number.isNaN(moved) ? time : new Date(moved).toISOString().slice(0, 16)
}
