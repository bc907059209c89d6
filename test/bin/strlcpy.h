/* For compile-with: what the C library of newer systems declares. */
extern __SIZE_TYPE__ strlcpy(char *, const char *, __SIZE_TYPE__);
