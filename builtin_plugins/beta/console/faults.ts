/** The fault of a field as its props take it: none where there is none. */
export const faultOf = (fault: string | undefined) => (fault === undefined ? {} : { fault });
