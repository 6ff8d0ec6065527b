/** These headers tell browsers what to forbid on the buyers' page. */

const OURS = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'connect-src': "'self'",
  'font-src': "'self'",
  'manifest-src': "'self'",
  'worker-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
}

const FRAMES = {
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

/**
 * Nothing from other origins and nothing inline: a script that an attacker puts into the page does not run.
 */
export const STRICT_HEADERS = {
  ...FRAMES,
  'content-security-policy': policy(OURS),
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
}

/** The scanner's page: it has the camera, and a decoder that is WebAssembly. */
export const SCAN_HEADERS = {
  ...FRAMES,
  'content-security-policy': policy({ ...OURS, 'script-src': "'self' 'wasm-unsafe-eval'" }),
  'permissions-policy': 'camera=(self), geolocation=(), microphone=(), payment=()',
}

/** The page on which Stripe takes the money: Stripe's own form, and nothing more. */
export const WITH_STRIPE_HEADERS = {
  ...FRAMES,
  'content-security-policy': policy({
    ...OURS,
    'script-src': "'self' https://js.stripe.com https://*.js.stripe.com",
    'frame-src': 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
    'connect-src': "'self' https://api.stripe.com",
  }),
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(self "https://js.stripe.com")',
}

type PageHeaders = typeof STRICT_HEADERS

/** The same, and pages of these sites may show the page in a frame. */
export function inFrames(
  headers: PageHeaders,
  origins: readonly string[],
): Omit<PageHeaders, 'x-frame-options'> {
  if (origins.length === 0) return headers
  const { 'x-frame-options': _denied, ...others } = headers
  const allowed = others['content-security-policy'].replace(
    "frame-ancestors 'none'",
    `frame-ancestors ${origins.join(' ')}`,
  )
  return { ...others, 'content-security-policy': allowed }
}

function policy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, allowed]) => `${name} ${allowed}`)
    .join('; ')
}
