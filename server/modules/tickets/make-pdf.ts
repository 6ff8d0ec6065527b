import { createRequire } from 'node:module'
import { qrCode } from '@voelgoed/kit/base/qr'
import { type Font, openSync } from 'fontkit'
import PDFDocument from 'pdfkit'
import { type EventTimes, eventTimes } from './event-times.ts'
import { printable } from './printable.ts'
import { TICKET_LOCALES, TICKET_WORDS, type TicketLanguage } from './ticket-words.ts'

/** The tickets that are printed, one a page. */
export interface TicketSheets {
  readonly language: TicketLanguage
  readonly organization: string
  readonly event: EventTimes & {
    readonly name: string
    readonly venue: string
    readonly address: string | null
  }
  readonly orderNumber: string
  /** The number of all tickets of the order that are printed. */
  readonly total: number
  readonly tickets: readonly PrintedTicket[]
}

interface PrintedTicket {
  /** From 1. */
  readonly number: number
  readonly ticketId: string
  readonly token: string
  readonly zone: string
  readonly row: string | null
  readonly seat: string | null
  readonly type: string | null
  readonly attendee: string | null
}

const FONT_FILES = {
  regular: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
} as const
type FontName = keyof typeof FONT_FILES
/** Read once in the life of a thread: reading their tables takes as long as drawing twenty pages. */
const fonts = { regular: openFont('regular'), bold: openFont('bold') }

const MARGIN = 56
const WIDTH = 595.28 - 2 * MARGIN
const QR_SIDE = 212
const GREY = '#555555'

/** Computes for some milliseconds a page: to be called in a thread of its own. */
export function makePdf(sheets: TicketSheets): Promise<Buffer> {
  const { language, event, orderNumber } = sheets
  const words = TICKET_WORDS[language]
  const document = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    autoFirstPage: false,
    lang: TICKET_LOCALES[language],
    info: { Title: `${words.title} ${orderNumber}: ${event.name}`, Producer: 'VoelgoedEvents Seating' },
    // None of its own.
    font: '',
  })
  // pdfkit takes an open font as well; its types know of files only.
  for (const name of ['regular', 'bold'] as const) document.registerFont(name, fonts[name] as never)
  const chunks: Buffer[] = []
  const made = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk))
    document.on('end', () => resolve(Buffer.concat(chunks)))
    document.on('error', reject)
  })
  const when = eventTimes(language, event)
  for (const ticket of sheets.tickets) drawTicket(document, sheets, when, ticket)
  document.end()
  return made
}

type Pdf = PDFKit.PDFDocument

function drawTicket(
  document: Pdf,
  { language, organization, event, orderNumber, total }: TicketSheets,
  when: readonly string[],
  ticket: PrintedTicket,
): void {
  const words = TICKET_WORDS[language]
  document.addPage()
  const line = (text: string, size: number, options: LineOptions = {}) => write(document, text, size, options)
  line(organization, 10, { colour: GREY, lines: 1 })
  line(words.ticketOf(ticket.number, total), 10, { colour: GREY, lines: 1 })
  document.moveDown(0.8)
  line(event.name, 24, { font: 'bold', lines: 3 })
  document.moveDown(0.3)
  for (const time of when) line(time, 12, { lines: 2 })
  line(event.venue, 12, { font: 'bold', lines: 2 })
  if (event.address !== null) line(event.address, 11, { colour: GREY, lines: 2 })
  document.moveDown(1)

  const top = document.y
  drawCode(document, ticket.token, top)
  const x = MARGIN + QR_SIDE + 28
  document.y = top
  for (const [name, value] of [
    [words.zone, ticket.zone],
    [words.row, ticket.row],
    [words.seat, ticket.seat],
    [words.type, ticket.type],
    [words.attendee, ticket.attendee],
    [words.order, orderNumber],
  ] as const) {
    if (value === null) continue
    const width = WIDTH - (x - MARGIN)
    line(name, 8, { colour: GREY, x, width, lines: 1 })
    line(value, 13, { font: 'bold', x, width, lines: 2 })
    document.moveDown(0.2)
  }
  document.y = top + QR_SIDE + 10
  line(ticket.ticketId, 7, { colour: GREY, lines: 1 })
  document.moveDown(1)
  line(words.howToUse, 10, { lines: 3 })
}

/** Runs of dark modules as one shape: no light lines between them on any screen or printer. */
function drawCode(document: Pdf, token: string, top: number): void {
  const { size, runs } = qrCode(token)
  const unit = QR_SIDE / size
  for (const { x, y, length } of runs) {
    document.rect(MARGIN + x * unit, top + y * unit, length * unit, unit)
  }
  document.fill('#000000')
}

interface LineOptions {
  readonly font?: FontName
  readonly colour?: string
  readonly x?: number
  readonly width?: number
  /** A text that does not fit into so many lines ends with an ellipsis. */
  readonly lines?: number
}

function write(document: Pdf, text: string, size: number, options: LineOptions): void {
  const { font = 'regular', colour = '#000000', x = MARGIN, width = WIDTH, lines = 1 } = options
  document.font(font).fontSize(size).fillColor(colour)
  const height = document.currentLineHeight(true) * lines
  const shown = printable(text, codePoint => fonts[font].hasGlyphForCodePoint(codePoint))
  document.text(shown, x, document.y, { width, height, ellipsis: true })
}

function openFont(name: FontName): Font {
  const font = openSync(createRequire(import.meta.url).resolve(FONT_FILES[name]))
  if (!('hasGlyphForCodePoint' in font)) throw new Error(`${FONT_FILES[name]} is a collection of fonts`)
  return font
}
