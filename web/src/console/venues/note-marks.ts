import { decodeMap } from '../../map/index.ts'
import type { LayoutNote, LayoutPreview } from './draw-layout.ts'
import type { MapMark } from './map-marks.ts'

/** Numbers beside seats: a longer list is told by the list. */
const MOST_MARKS = 500

/** A mark for each note that has a place, with its number in the list. */
export function marksOfNotes({ map, notes }: LayoutPreview): { note: LayoutNote; mark: MapMark }[] {
  if (!map || notes.length === 0) return []
  const model = decodeMap(map)
  return notes.slice(0, MOST_MARKS).flatMap((note, index) => {
    const at = note.ordinal === null ? note.point : { x: model.x[note.ordinal]!, y: model.y[note.ordinal]! }
    return at ? [{ note, mark: { kind: note.isFault ? 'bad' : 'warn', at, text: String(index + 1) } }] : []
  })
}
