/** A piece of a document. Only `html` and `jsonLd` make one, and both escape what they are given. */
class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type { Html }

/** `html\`<title>${name}</title>\``: every value is escaped, unless it is a piece of a document itself. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  return new Html(parts.map((part, index) => part + textOf(values[index] ?? '')).join(''))
}

/**
 * Data for search engines. No browser runs it, and the page's policy, which allows no inline scripts, lets it
 * be. `<` would end the element, or begin a comment in it.
 */
export function jsonLd(data: object): Html {
  const text = JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return new Html(`<script type="application/ld+json">${text}</script>`)
}

function textOf(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string') return escaped(value)
  return value instanceof Html ? value.text : value.map(({ text }) => text).join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For text, for values of attributes in quotes, and for XML, which knows no control characters. */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, character => ESCAPES[character]!)
    .replaceAll(/[^\P{Cc}\n\t]|[\ud800-\udfff\ufffe\uffff]/gu, ' ')
}
