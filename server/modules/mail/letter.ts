/** A part of a mail, written as text and as HTML. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly [what: string, value: string])[] }
  | { readonly kind: 'link'; readonly label: string; readonly url: string }

/** A mail wears the brand of its sender. */
export interface LetterLook {
  /** As #rrggbb, of the button and the edge; text on it can be read. */
  readonly accent: string
  readonly onAccent: string
  readonly logo: { readonly url: string; readonly width: number; readonly height: number } | null
}

/** Mails of an organization without a brand look so. */
export const PLAIN_LOOK: LetterLook = { accent: '#cf3f27', onAccent: '#ffffff', logo: null }

export interface Letter {
  readonly sender: string
  readonly subject: string
  readonly greeting: string
  readonly blocks: readonly Block[]
  /** It says who writes, and why. */
  readonly footer: string
}

export interface WrittenLetter {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Names come from people: nothing of them is markup, and none of them begins a line of its own. */
export function writeLetter(letter: Letter, language: string, look: LetterLook): WrittenLetter {
  const { greeting, blocks, footer } = letter
  return {
    subject: oneLine(letter.subject),
    text: `${[oneLine(greeting), ...blocks.map(textOf), `-- \n${oneLine(footer)}`].join('\n\n')}\n`,
    html: document(language, look, [nameplate(letter.sender, look), ...contentOf(letter, look)]),
  }
}

/** Control characters become spaces: a name with a line break can't add a header or a line. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return oneLine(block.text)
    case 'rows':
      return block.rows.map(([what, value]) => `${oneLine(what)}: ${oneLine(value)}`).join('\n')
    case 'link':
      return `${oneLine(block.label)}:\n${block.url}`
  }
}

/** The logo, or the name in its place. */
function nameplate(sender: string, { logo }: LetterLook): Markup {
  return logo
    ? html`<p style="margin:0 0 24px"><img src="${logo.url}" alt="${oneLine(sender)}" width="${String(logo.width)}" height="${String(logo.height)}" style="display:block;border:0;max-width:100%"></p>`
    : html`<p style="margin:0 0 24px;font-size:18px;font-weight:700">${oneLine(sender)}</p>`
}

function contentOf({ greeting, blocks, footer }: Letter, look: LetterLook): readonly Markup[] {
  return [greeting, ...blocks, footer].map(part => htmlOf(part, look))
}

function document(language: string, look: LetterLook, parts: readonly Markup[]): string {
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;background:#f6f5f3;color:#1d1b20;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-top:4px solid ${look.accent};border-radius:12px">
${parts}
</div></body></html>
`.markup
}

function htmlOf(part: Block | string, { accent, onAccent }: LetterLook): Markup {
  if (typeof part === 'string') return html`<p style="margin:0 0 16px">${oneLine(part)}</p>`
  switch (part.kind) {
    case 'text':
      return html`<p style="margin:0 0 16px">${oneLine(part.text)}</p>`
    case 'rows':
      return html`<table role="presentation" style="margin:0 0 16px;border-collapse:collapse">${part.rows.map(
        ([what, value]) =>
          html`<tr><td style="padding:4px 16px 4px 0;color:#605d66">${oneLine(what)}</td><td style="padding:4px 0">${oneLine(value)}</td></tr>`,
      )}</table>`
    case 'link':
      return html`<p style="margin:0 0 16px"><a href="${part.url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:${accent};color:${onAccent};text-decoration:none">${oneLine(part.label)}</a></p>`
  }
}

class Markup {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Everything that is put in is escaped, but for what this function itself has made. */
function html(strings: TemplateStringsArray, ...values: readonly (string | Markup | readonly Markup[])[]) {
  const written = values.map(value => {
    if (typeof value === 'string') return value.replace(/[&<>"']/g, letter => ENTITIES[letter]!)
    return value instanceof Markup ? value.markup : value.map(each => each.markup).join('\n')
  })
  return new Markup(String.raw({ raw: strings.map(each => each) }, ...written))
}
