import { FaultList } from '../faults.ts'
import type { LayoutFault, Point } from '../model.ts'

/** Describes why a document is refused. */
export type ImportFaultCode =
  | 'not_an_object'
  | 'not_a_list'
  | 'not_text'
  | 'not_a_number'
  | 'not_a_flag'
  | 'missing'
  | 'text_too_long'
  | 'coordinate_too_large'
  | 'capacity_not_whole'
  | 'capacity_too_large'
  | 'too_many_seats'
  | 'too_many_zones'
  | 'too_many_levels'
  | 'too_many_groups'
  | 'too_many_price_categories'
  | 'duplicate_seat_guid'
  | 'seat_guid_length'
  | 'sections_nested'
  | 'nothing_to_book'
  | 'document_too_large'
  | 'csv_broken'
  | 'column_missing'
  | 'svg_broken'

/** Describes what a document says and a layout doesn't. */
export type ImportWarningCode =
  | 'area_without_places'
  | 'booked_as_a_whole'
  | 'category_color_dropped'
  | 'category_listed_twice'
  | 'category_not_listed'
  | 'column_ignored'
  | 'companion_dropped'
  | 'companion_without_wheelchair'
  | 'display_label_dropped'
  | 'empty_section'
  | 'empty_table'
  | 'entrance_dropped'
  | 'focal_point_dropped'
  | 'image_dropped'
  | 'kind_unknown'
  | 'label_missing'
  | 'label_not_unique'
  | 'only_one_category'
  | 'outline_dropped'
  | 'seat_id_dropped'
  | 'section_scale_ignored'
  | 'semi_ambulatory_dropped'
  | 'shape_ignored'
  | 'shape_without_label'
  | 'social_distancing_dropped'
  | 'variable_occupancy_dropped'
  | 'without_category'
  | 'zone_renamed'

/** Something with a JSON pointer into the document. */
interface Located {
  readonly path: string
}

/** Describes what an import found on its way: faults, and warnings by kind and place. */
export class ImportReport {
  readonly faults = new FaultList<ImportFaultCode>()
  readonly #warnings = new Map<string, { first: Located; place: Located; count: number; message: string }>()

  /** Where things would have been that were left out, by their path. Bounded like the warnings about them. */
  readonly leftOut = new Map<string, Point>()

  /**
   * A warning is told once per kind and place (a section, a zone), with a count: a thousand seats
   * with the same flaw are one line. A single one is told where it is.
   */
  warn(code: ImportWarningCode, place: Located, at: Located, message: string): void {
    const key = `${code} ${place.path}`
    const known = this.#warnings.get(key)
    if (known) known.count++
    else this.#warnings.set(key, { first: at, place, count: 1, message })
  }

  /** Returns where the first one is of a warning that was told once for many. */
  firstPathOf({ code, path }: LayoutFault): string {
    return this.#warnings.get(`${code} ${path}`)?.first.path ?? path
  }

  warnings(): LayoutFault[] {
    const list = new FaultList<string>('more_warnings')
    for (const [key, { first, place, count, message }] of this.#warnings) {
      const code = key.slice(0, key.indexOf(' '))
      if (count === 1) list.add(first.path, code, message)
      else list.add(place.path, code, `${message} Found ${count} times here.`)
    }
    return list.list()
  }
}
