// Package bfbs reads and writes schemas in binary form: FlatBuffers of the schema
// reflection.fbs, which flatc calls .bfbs.
package bfbs

// Identifier is the file identifier of a .bfbs, at its bytes 4 to 7.
const Identifier = "BFBS"

// The ids of the fields of reflection.fbs, by table. An entry that is missing
// here (EnumVal.object) is deprecated there.
const (
	schemaObjects, schemaEnums, schemaFileIdent, schemaFileExt    = 0, 1, 2, 3
	schemaRootTable, schemaServices, schemaFeatures, schemaFiles  = 4, 5, 6, 7
	objectName, objectFields, objectIsStruct, objectMinAlign      = 0, 1, 2, 3
	objectByteSize, objectAttributes, objectDoc, objectFile       = 4, 5, 6, 7
	fieldName, fieldType, fieldID, fieldOffset                    = 0, 1, 2, 3
	fieldDefaultInteger, fieldDefaultReal, fieldDeprecated        = 4, 5, 6
	fieldRequired, fieldKey, fieldAttributes, fieldDoc            = 7, 8, 9, 10
	fieldOptional, fieldPadding, fieldOffset64                    = 11, 12, 13
	typeBase, typeElement, typeIndex, typeFixedLength             = 0, 1, 2, 3
	typeBaseSize, typeElementSize                                 = 4, 5
	enumName, enumValues, enumIsUnion, enumUnderlying             = 0, 1, 2, 3
	enumAttributes, enumDoc, enumFile                             = 4, 5, 6
	enumValName, enumValValue, enumValType, enumValDoc            = 0, 1, 3, 4
	enumValAttributes                                             = 5
	serviceName, serviceCalls, serviceAttributes, serviceDoc      = 0, 1, 2, 3
	serviceFile                                                   = 4
	callName, callRequest, callResponse, callAttributes, callDoc  = 0, 1, 2, 3, 4
	keyValueKey, keyValueValue                                    = 0, 1
	fileName, fileIncludes                                        = 0, 1
	numSchema, numObject, numField, numType, numEnum, numEnumVal  = 8, 8, 14, 6, 7, 6
	numService, numCall, numKeyValue, numFile                     = 5, 5, 2, 2
	defaultTypeIndex, defaultTypeBaseSize, defaultTypeElementSize = -1, 4, 0
)
