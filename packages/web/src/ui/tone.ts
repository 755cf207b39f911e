/** The colour of a pill, a dot or a line of text. */
export type Tone = 'plain' | 'working' | 'needs' | 'good' | 'bad'
