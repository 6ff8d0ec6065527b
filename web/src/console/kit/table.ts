import type { Snippet } from 'svelte'

/** A column of a table: its head, and its cell as a text or as a piece of the screen. */
export interface TableColumn<Row> {
  readonly head: string
  /** For screen readers alone: the cells say what they are. */
  readonly isHeadUnseen?: boolean
  readonly headCell?: Snippet
  readonly text?: (row: Row) => string
  readonly cell?: Snippet<[Row]>
  /** Classes of its cells: `number`, `quiet`, `nowrap`; `desk`: a telephone does not show it. */
  readonly is?: string
}
