import type { Format } from '../../kit/words/format.ts'

/** Words of what an organization and its events look like: colour, logo, pictures. */
export function brandEn(format: Format) {
  return {
    brand: {
      title: 'Brand',
      about:
        'What buyers see on your pages. Without any of it they see our colour, and pictures drawn from names.',
      colour: 'Colour',
      pick: 'Pick a colour',
      colourHint: 'Of buttons and links, like #7b3fa0. Empty: ours.',
      badColour: 'Write a # and six digits or letters from a to f, like #7b3fa0.',
      useColour: 'Use this colour',
      useOurs: 'Use ours',
      saved: 'Buyers see the new colour from the next page they open.',
      preview: 'How your pages look',
      light: 'Light',
      dark: 'Dark',
      sampleTitle: 'An evening of song',
      sampleLink: 'All events',
      sampleButton: 'Choose seats',
      sampleNote: 'From R 150',
      onButton: 'Text on buttons',
      onPaper: 'Links',
      ratio: (contrast: number) => `${format.number(Math.floor(contrast * 10) / 10)} : 1`,
      given:
        'Your colour is made a little lighter or darker where text could not be read (less than 4.5 : 1).',
      asChosen: 'All text on it can be read (at least 4.5 : 1).',
      logo: 'Logo',
      logoHint: 'At the top of every page, 32 pixels high. A transparent PNG or WebP is best.',
      noLogo: 'No logo: pages show the name',
      cover: 'Cover of the storefront',
      coverHint: 'Behind the name of the organization. Best are 1600 × 1000 pixels; the edges may be cut.',
    },
    picture: {
      choose: 'Choose a file',
      file: 'File',
      replace: 'Choose another',
      remove: 'Remove',
      drop: 'Drop an image here',
      limits: 'JPEG, PNG, WebP or AVIF, at most 10 MB.',
      drawn: 'Drawn from the name',
      busy: 'The picture is on its way …',
      set: 'The picture is saved.',
      removed: 'The picture is removed.',
      tooLarge: 'This file is larger than 10 MB. Make the image smaller and try again.',
      notImage: 'Browsers cannot show this file. Use a JPEG, PNG, WebP or AVIF file.',
      afterCreate: (why: string) => `The draft is created, but its picture was not saved: ${why}`,
      event: 'Picture',
      eventHint:
        'On the storefront, on the event’s page, and where people share its link. Best are 1600 × 1000 pixels.',
    },
  }
}

export type BrandWords = ReturnType<typeof brandEn>
