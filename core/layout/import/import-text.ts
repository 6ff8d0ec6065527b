import { type Result, refuse } from '../../result.ts'
import type { LayoutFault } from '../model.ts'
import { readCsvLayout } from './csv.ts'
import { Cursor } from './cursor.ts'
import { type Imported, LayoutDraft } from './draft.ts'
import { ImportReport } from './report.ts'
import { readSvgLayout } from './svg.ts'
import type { SvgOptions } from './svg-labels.ts'

/** 250,000 seats with everything on them are some 25 million characters. */
const MOST_CHARACTERS = 64_000_000

export type TextFormat = { readonly format: 'csv' } | ({ readonly format: 'svg' } & SvgOptions)

/** A layout from a table or a drawing. All or nothing, like `importLayout`. */
export function importText(text: string, how: TextFormat): Result<Imported, LayoutFault[]> {
  const report = new ImportReport()
  const draft = new LayoutDraft(report)
  if (text.length > MOST_CHARACTERS) {
    const message = `This is too large: at most ${MOST_CHARACTERS / 1_000_000} million characters are read.`
    Cursor.root(null, report).fault('document_too_large', message)
    return refuse(report.faults.list())
  }
  const root =
    how.format === 'csv' ? readCsvLayout(text, draft, report) : readSvgLayout(text, how, draft, report)
  return draft.finish(root)
}
