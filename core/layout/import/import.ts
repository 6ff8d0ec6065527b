import { type Result, refuse } from '../../result.ts'
import type { LayoutFault } from '../model.ts'
import { Cursor } from './cursor.ts'
import { type Imported, LayoutDraft } from './draft.ts'
import { readPretix } from './pretix.ts'
import { ImportReport } from './report.ts'
import { readSeatsio } from './seatsio.ts'

export const IMPORT_FORMATS = ['pretix', 'seatsio'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/**
 * A layout from another program's document. All or nothing: a document with faults gives faults, each with a
 * JSON pointer into the document; what a layout has no room for is left out with a warning.
 */
export function importLayout(format: ImportFormat, document: unknown): Result<Imported, LayoutFault[]> {
  const report = new ImportReport()
  const root = Cursor.root(document, report)
  const draft = new LayoutDraft(report)
  if (!root.isObject()) return refuse(report.faults.list())
  if (format === 'pretix') readPretix(root, draft)
  else readSeatsio(root, draft)
  return draft.finish(root)
}
