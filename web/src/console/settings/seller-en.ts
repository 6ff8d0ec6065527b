/** The words for who sells, and by which terms. */
export const sellerEn = {
  seller: {
    title: 'Seller',
    about: 'Buyers read this at checkout, before they pay, and with their tickets.',
    legalName: 'Legal name',
    legalNameHint: 'Buyers read “Sold by …”. Empty: the name of the organization.',
    vat: 'VAT number',
    phone: 'Telephone for buyers',
    phoneHint: 'Like +27 12 345 6789.',
    badPhone: 'Use digits, spaces and + ( ) . / - and begin with a digit, + or (.',
    email: (address: string) => `Buyers write to ${address}, the support address above.`,
    noEmail: 'Buyers see no email address: there is no support address above.',
    refunds: 'When do buyers get money back?',
    refundsHint: 'In a sentence or two, at most 2,000 characters. This text changes no rule of the system.',
    termsAs: 'Terms of sale',
    ways: { none: 'None', url: 'A link', text: 'A text' },
    url: 'Address of the terms',
    badUrl: 'Use a complete address that begins with https://',
    terms: 'Text of the terms',
    termsHint: 'At most 9,000 characters; a blank line parts paragraphs.',
    save: 'Save the seller',
    saved: 'Buyers see it from now on.',
  },
}

export type SellerWords = typeof sellerEn
